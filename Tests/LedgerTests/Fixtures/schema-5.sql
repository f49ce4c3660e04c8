PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES('1: jobs, attempts, events');
INSERT INTO grdb_migrations VALUES('2: facts');
INSERT INTO grdb_migrations VALUES('3: identity and parcels');
INSERT INTO grdb_migrations VALUES('4: registrations and metadata');
INSERT INTO grdb_migrations VALUES('5: requests');
CREATE TABLE stored (
  job INTEGER PRIMARY KEY,
  link TEXT NOT NULL,
  body BLOB NOT NULL,
  object_size INTEGER,
  object_etag TEXT,
  object_version TEXT,
  object_sha256 TEXT,
  object_checksum_algorithm TEXT,
  object_checksum_type TEXT,
  object_checksum_value TEXT,
  object_crc64nvme TEXT,
  uploaded_at INTEGER
, began_at INTEGER, ended_at INTEGER, registration_id BLOB) STRICT;
INSERT INTO stored VALUES(1,'s3://documents/a.pdf',X'7b7d',3,'e',NULL,'00','sha256','full','AA==',NULL,1000000,1795219200000000,1795219200000000,NULL);
CREATE TABLE registration (
  job INTEGER PRIMARY KEY,
  status INTEGER NOT NULL,
  location TEXT,
  body TEXT NOT NULL,
  registered_at INTEGER NOT NULL
, began_at INTEGER, ended_at INTEGER) STRICT;
INSERT INTO registration VALUES(1,201,'/documents/1','ok',2000000,1795219200000000,1795219200000000);
CREATE TABLE answer (
  job INTEGER PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
CREATE TABLE multipart (
  job INTEGER PRIMARY KEY,
  upload_id TEXT NOT NULL,
  part_size INTEGER NOT NULL,
  checksum TEXT NOT NULL,
  file_device INTEGER NOT NULL,
  file_inode INTEGER NOT NULL,
  file_size INTEGER NOT NULL,
  file_modified_ns INTEGER NOT NULL,
  file_changed_ns INTEGER NOT NULL
) STRICT;
CREATE TABLE attempt (
  job INTEGER NOT NULL,
  step TEXT NOT NULL,
  number INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  outcome TEXT NOT NULL,
  failure_kind TEXT,
  failure_status INTEGER,
  failure_code TEXT,
  failure_words TEXT,
  failure_retry_after INTEGER,
  failure_may_have_acted INTEGER,
  PRIMARY KEY (job, step, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt VALUES(2,'upload',1,1795219200000000,1795219200000000,'failed','rejected',422,NULL,'HTTP 422: no',NULL,0);
INSERT INTO attempt VALUES(3,'upload',1,1795219200000000,1795219200000000,'cut',NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE event (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT,
  job INTEGER,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  step TEXT,
  by_uid INTEGER,
  by_user TEXT,
  reason TEXT,
  job_step TEXT,
  job_state TEXT,
  job_revision INTEGER,
  next_attempt_at INTEGER,
  failure_kind TEXT,
  failure_status INTEGER,
  failure_code TEXT,
  failure_words TEXT,
  failure_retry_after INTEGER,
  failure_may_have_acted INTEGER,
  destination TEXT,
  spool TEXT,
  until INTEGER,
  message TEXT,
  CHECK (job IS NULL OR (step IS NOT NULL AND job_step IS NOT NULL AND job_state IS NOT NULL
    AND job_revision IS NOT NULL)),
  CHECK (job IS NOT NULL OR message IS NOT NULL)
) STRICT;
INSERT INTO event VALUES(6,2,1795219200000000,'question','upload',NULL,NULL,'HTTP 422: no','upload','awaiting-confirmation',3,NULL,'rejected',422,NULL,'HTTP 422: no',NULL,0,NULL,NULL,NULL,NULL);
INSERT INTO event VALUES(7,3,1795219200000000,'cancelled','upload',1000,'anna',NULL,'upload','cancelled',3,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO event VALUES(9,NULL,1795219200000000,'gate-closed',NULL,1000,'anna','paused',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'spool.documents',NULL,NULL,'spool.documents paused by anna');
CREATE TABLE gate (
  destination TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER,
  job INTEGER,
  failed_probes INTEGER NOT NULL,
  last_probe INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE pause (
  target TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  by_uid INTEGER NOT NULL,
  by_user TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO pause VALUES('spool.documents',1795219200000000,1000,'anna');
CREATE TABLE cleanup (
  job INTEGER PRIMARY KEY,
  id BLOB NOT NULL,
  spool TEXT NOT NULL,
  storage TEXT NOT NULL,
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  remove INTEGER NOT NULL,
  version TEXT,
  upload_id TEXT,
  may_still_land INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  next_at INTEGER,
  failure_kind TEXT,
  failure_status INTEGER,
  failure_code TEXT,
  failure_words TEXT,
  failure_retry_after INTEGER,
  failure_may_have_acted INTEGER
) STRICT;
INSERT INTO cleanup VALUES(3,X'01a1fb9fe6f876eea97b5e4b4cc03fb4','documents','main','documents','1/a',0,NULL,NULL,1,0,1795219200000000,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE job (
  number INTEGER PRIMARY KEY,
  id BLOB NOT NULL UNIQUE,
  spool TEXT NOT NULL,
  name BLOB NOT NULL,
  path BLOB,
  storage TEXT NOT NULL,
  backend TEXT NOT NULL,
  bucket TEXT NOT NULL,
  key TEXT NOT NULL,
  content_type TEXT NOT NULL,
  metadata TEXT,
  priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  admitted_at INTEGER
, parcel TEXT, withheld TEXT) STRICT;
INSERT INTO job VALUES(1,X'01a1fb9fe6f875d19fb4fd18aaf60a99','documents',X'726567697374657265642e706466',NULL,'main','main','documents','1/a','text/plain','{"a":"ä\n"}',0,1795222923000000,1,2,3,4,9223372036854775807,1795219200000000,NULL,NULL);
INSERT INTO job VALUES(2,X'01a1fb9fe6f877a4b1ca792f2ef21de9','documents',X'61736b732e706466',NULL,'main','main','documents','1/a','text/plain','{"a":"ä\n"}',0,1795222923000000,1,2,3,4,9223372036854775807,1795219200000000,NULL,NULL);
INSERT INTO job VALUES(3,X'01a1fb9fe6f876eea97b5e4b4cc03fb4','documents',X'63616e63656c6c65642e706466',NULL,'main','main','documents','1/a','text/plain','{"a":"ä\n"}',0,1795222923000000,1,2,3,4,9223372036854775807,1795219200000000,NULL,NULL);
INSERT INTO job VALUES(4,X'01a1fb9fe6f8795b90a8e42b8dbbcec9','documents',X'7175657565642e706466',NULL,'main','main','documents','1/a','text/plain','{"a":"ä\n"}',0,1795222923000000,1,2,3,4,9223372036854775807,1795219200000000,NULL,NULL);
CREATE TABLE job_state (
  job INTEGER PRIMARY KEY,
  spool TEXT NOT NULL,
  priority INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  revision INTEGER NOT NULL,
  step TEXT NOT NULL,
  state TEXT NOT NULL,
  destination TEXT NOT NULL,
  upload_tries INTEGER NOT NULL,
  register_tries INTEGER NOT NULL,
  attempt_started_at INTEGER,
  updated_at INTEGER NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  may_be_stored INTEGER NOT NULL,
  object_may_be_stale INTEGER NOT NULL,
  delays_spent INTEGER NOT NULL,
  next_attempt_at INTEGER,
  failure_kind TEXT,
  failure_status INTEGER,
  failure_code TEXT,
  failure_words TEXT,
  failure_retry_after INTEGER,
  failure_may_have_acted INTEGER,
  question TEXT,
  asked_at INTEGER,
  release_to TEXT,
  release_by_uid INTEGER,
  release_by_user TEXT,
  remote TEXT,
  finished_at INTEGER,
  disposed_at INTEGER
) STRICT;
INSERT INTO job_state VALUES(2,'documents',0,1795222923000000,3,'upload','awaiting-confirmation','storage.main',1,0,NULL,1795219200000000,1,2,3,4,9223372036854775807,0,0,0,NULL,'rejected',422,NULL,'HTTP 422: no',NULL,0,'Upload of asks.pdf failed: HTTP 422: no. Retry?',1795219200000000,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO job_state VALUES(3,'documents',0,1795222923000000,3,'upload','cancelled','storage.main',1,0,NULL,1795219200000000,1,2,3,4,9223372036854775807,1,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'pending',1795219200000000,NULL);
CREATE TABLE disposal (
  job INTEGER PRIMARY KEY,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE log (
  sequence INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  entries BLOB NOT NULL
) STRICT;
INSERT INTO log VALUES(3,1795219200000000,X'010203010202010202040300040200040200');
INSERT INTO log VALUES(4,1795219200000000,X'020200050000');
INSERT INTO log VALUES(5,1795219200000000,X'030200');
INSERT INTO log VALUES(8,1795219200000000,X'010800');
CREATE TABLE identity (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  uuid TEXT NOT NULL,
  generation INTEGER NOT NULL
) STRICT;
INSERT INTO identity VALUES(1,'bebbe2dd-dc98-4816-8968-d25d72016da0',1);
CREATE TABLE member (
  job INTEGER NOT NULL,
  path BLOB NOT NULL,
  device INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  size INTEGER NOT NULL,
  modified_ns INTEGER NOT NULL,
  changed_ns INTEGER NOT NULL,
  may_be_stale INTEGER NOT NULL,
  upload_id TEXT,
  part_size INTEGER,
  upload_checksum TEXT,
  upload_inode INTEGER,
  upload_size INTEGER,
  upload_modified_ns INTEGER,
  etag TEXT,
  version TEXT,
  sha256 TEXT,
  checksum_algorithm TEXT,
  checksum_type TEXT,
  checksum_value TEXT,
  crc64nvme TEXT,
  content_type TEXT,
  uploaded_at INTEGER,
  PRIMARY KEY (job, path)
) STRICT, WITHOUT ROWID;
CREATE TABLE tenure (
  spool TEXT PRIMARY KEY,
  id TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE request (
  uid INTEGER NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  at INTEGER NOT NULL,
  status INTEGER,
  body BLOB,
  PRIMARY KEY (uid, key)
) STRICT, WITHOUT ROWID;
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('event',9);
CREATE INDEX event_job ON event (job);
CREATE INDEX cleanup_idle ON cleanup (storage, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX job_queued ON job_state
  (destination, (step = 'upload' AND size >= 8388608), priority DESC, job) WHERE state = 'queued';
CREATE INDEX job_deferred ON job_state (next_attempt_at) WHERE state = 'deferred';
CREATE INDEX job_waiting ON job_state (destination, job)
  WHERE state IN ('awaiting-credentials', 'awaiting-network');
CREATE INDEX job_noticed ON job_state (state, job)
  WHERE state <> 'queued' AND state <> 'active' AND state <> 'registered' AND state <> 'discarded';
CREATE INDEX job_unfinished ON job_state (spool, created_at) WHERE finished_at IS NULL;
CREATE INDEX job_undisposed ON job_state (job)
  WHERE state IN ('registered', 'discarded') AND disposed_at IS NULL;
CREATE INDEX job_releasing ON job_state (job) WHERE release_to IS NOT NULL;
CREATE INDEX event_by ON event (by_user) WHERE by_user IS NOT NULL;
CREATE INDEX request_at ON request (uid, at);
COMMIT;
