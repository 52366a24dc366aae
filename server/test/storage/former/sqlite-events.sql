-- A database on SQLite, the event log as Postern left it before migrations of state, declared tables and event log were one list.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE event (
    sequence integer primary key,
    event_uuid text,
    event_type text not null,
    user_id text not null,
    content blob not null
  ) strict;
INSERT INTO event VALUES(2183250680647680,NULL,'post.create','101',X'7b2274657874223a2268c3a96c6c6f227d');
INSERT INTO event VALUES(2183250680647681,'given','post.create','101',X'7b2274657874223a2268c3a96c6c6f227d');
CREATE TABLE given_uuid (event_uuid text primary key, sequence integer not null) strict, without rowid;
INSERT INTO given_uuid VALUES('given',2183250680647681);
CREATE TABLE target (
    sequence integer not null,
    webhook_id text not null,
    match text not null,
    primary key (sequence, webhook_id)
  ) strict, without rowid;
INSERT INTO target VALUES(2183250680647680,'10','"m":10');
INSERT INTO target VALUES(2183250680647680,'11','"m":11');
INSERT INTO target VALUES(2183250680647681,'10','"m":10');
CREATE TABLE attempt (
    sequence integer not null,
    webhook_id text not null,
    origin text not null,
    n integer not null,
    at_ms integer not null,
    latency_ms real not null,
    status integer,
    outcome text not null,
    error text not null,
    primary key (sequence, webhook_id, origin, n)
  ) strict, without rowid;
INSERT INTO attempt VALUES(2183250680647680,'10','',1,1700000000100,12.5,200,'delivered','');
INSERT INTO attempt VALUES(2183250680647680,'11','',1,1700000000200,3.0,500,'failed','answered 500');
CREATE TABLE delivery (webhook_id text not null, sequence integer not null, primary key (webhook_id, sequence)) strict, without rowid;
CREATE TABLE retry (
    webhook_id text not null,
    sequence integer not null,
    due_ms integer not null,
    attempts integer not null,
    primary key (webhook_id, sequence)
  ) strict, without rowid;
INSERT INTO retry VALUES('11',2183250680647680,1700000060000,1);
CREATE TABLE waiting (webhook_id text primary key, beginning integer not null) strict, without rowid;
CREATE TABLE mark (name text primary key, sequence integer not null) strict, without rowid;
INSERT INTO mark VALUES('indexed',0);
INSERT INTO mark VALUES('trimmed',0);
INSERT INTO mark VALUES('watermark',2183250680647680);
CREATE TABLE header (name text primary key, value text not null) strict, without rowid;
INSERT INTO header VALUES('id','bfe9b784792a6764');
CREATE INDEX retry_due on retry (due_ms);
PRAGMA user_version=2;
COMMIT;
