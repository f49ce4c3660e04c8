#ifndef CSQLITECALLS_H
#define CSQLITECALLS_H

/// Has every call that SQLite makes on files counted by CLinux, where a test asks for that, and failed like any other. For
/// debug builds; to be called before a connection is opened. SQLite itself decides what an error number means.
void csqlite_watch_calls(void);

struct sqlite3;

/// Has what a connection does counted from now on.
void csqlite_count_operations(struct sqlite3 *connection);

/// The operations of SQLite's virtual machine that all counted connections have done, about: a scan of all rows is a few for each.
long long csqlite_operations(void);

#endif
