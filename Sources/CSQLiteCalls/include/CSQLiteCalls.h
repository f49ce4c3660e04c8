#ifndef CSQLITECALLS_H
#define CSQLITECALLS_H

/// Has every call that SQLite makes on files counted by CLinux, where a test asks for that, and failed like any other. For
/// debug builds; to be called before a connection is opened. SQLite itself decides what an error number means.
void csqlite_watch_calls(void);

#endif
