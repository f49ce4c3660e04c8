#ifndef CSQLITECALLS_H
#define CSQLITECALLS_H

/// Lets CLinux count every call that SQLite makes on files, if a test asks for that, and make them fail like any other call. For
/// debug builds. Call it before a connection is opened. SQLite itself decides what an error number means.
void csqlite_watch_calls(void);

struct sqlite3;

/// Begins to count the operations of a connection.
void csqlite_count_operations(struct sqlite3 *connection);

/// The approximate number of operations that SQLite's virtual machine has run for all counted connections on this thread. A scan of
/// all rows costs a few for each row.
long long csqlite_operations(void);

#endif
