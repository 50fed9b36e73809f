BEGIN TRANSACTION;
CREATE TABLE afere_migrations (
	name TEXT NOT NULL, 
	applied_at FLOAT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "afere_migrations" VALUES('first_tables',1000.0);
CREATE TABLE attempts (
	id INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	again INTEGER NOT NULL, 
	item TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	variant INTEGER NOT NULL, 
	series TEXT NOT NULL, 
	endpoint TEXT NOT NULL, 
	model TEXT NOT NULL, 
	messages TEXT, 
	params TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	at FLOAT NOT NULL, 
	latency FLOAT NOT NULL, 
	finish_reason TEXT, 
	tokens_input INTEGER, 
	tokens_output INTEGER, 
	tokens_reasoning INTEGER, 
	served_model TEXT, 
	fingerprint TEXT, 
	content TEXT, 
	reasoning TEXT, 
	refusal TEXT, 
	body TEXT, 
	adapted TEXT, 
	failure TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "attempts" VALUES(1,'6dc4b5d64f01bc26b8e594c42bcfa8ec5954b83304d9d78fe9af00021c92786c',0,'p01',1,0,'','http://127.0.0.1:9/v1','m','f4fcf49100c1593499f8e587459f888400b9bf855c71ba38329cf28b43f2f2b1','342891b4a251e41c4dc5b83bd923b4d9f86a35697d99bbbc7f1fc45f78567000','response',10.0,0.25,'stop',12,3,NULL,'m-1','fp','3882 ﷐d800﷐0000 maçã',NULL,NULL,'{"choices":[]}',NULL,NULL);
INSERT INTO "attempts" VALUES(2,'d5f1b5b0738a30a46d9012b8ed48e596b28af6afbc559979ab5af1ea4fff00e5',0,'p01',2,0,'','http://127.0.0.1:9/v1','m','f4fcf49100c1593499f8e587459f888400b9bf855c71ba38329cf28b43f2f2b1','342891b4a251e41c4dc5b83bd923b4d9f86a35697d99bbbc7f1fc45f78567000','response',10.0,0.25,'stop',12,3,NULL,'m-1','fp','3882',NULL,NULL,'{"choices":[]}',NULL,NULL);
INSERT INTO "attempts" VALUES(3,'1178829c4bce4fbd0e6cc30fa255200188519463208a105c570f8cac78f24d5c',0,'p02',1,0,'','http://127.0.0.1:9/v1','m','8b62b262eb62fe752582c00fbf5d35bd396652fc8d46cba6c929512e3929ae30','342891b4a251e41c4dc5b83bd923b4d9f86a35697d99bbbc7f1fc45f78567000','server',9.0,0.0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'{"adapted":[],"body":"","failed_at":9.0,"kind":"server","latency":0.0,"message":"503","resume_after":null,"scope":"call","status":503,"transient":true,"wait":null}');
CREATE TABLE invocations (
	id INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	ended INTEGER NOT NULL, 
	started FLOAT NOT NULL, 
	json TEXT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "invocations" VALUES(1,'91cd38a07797',1,0,5.0,'{"calls":{"cached":0,"failed":0,"made":0,"retried":0},"finished":null,"interrupted":false,"resume_after":null,"started":5.0,"stopped_by":null,"version":"0.1.0"}');
CREATE TABLE plans (
	id INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	suite TEXT NOT NULL, 
	json TEXT NOT NULL, 
	kept_at FLOAT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "plans" VALUES(1,'91cd38a07797','fdd01554531cb24658f4c20fa1c6cb951eddb2f174d61c62181fab56a48b946f','{"base_url":"http://127.0.0.1:9/v1","cutoff":null,"endpoint":"http://127.0.0.1:9/v1","family":null,"items":["p01","p02"],"model":"m","name":"m","params":{"max_tokens":16,"temperature":0},"price":{},"probe":false,"rounds":2,"series":"","suite_hash":"fdd01554531cb24658f4c20fa1c6cb951eddb2f174d61c62181fab56a48b946f","suite_name":"small","variants":1}',1000.0);
CREATE TABLE rows (
	id INTEGER NOT NULL, 
	run TEXT NOT NULL, 
	item TEXT NOT NULL, 
	round INTEGER NOT NULL, 
	variant INTEGER NOT NULL, 
	"key" TEXT NOT NULL, 
	outcome TEXT NOT NULL, 
	score FLOAT, 
	grader TEXT NOT NULL, 
	grader_version TEXT NOT NULL, 
	read TEXT, 
	rule TEXT, 
	flags TEXT, 
	seconds FLOAT, 
	finish_reason TEXT, 
	tokens_input INTEGER, 
	tokens_output INTEGER, 
	tokens_reasoning INTEGER, 
	latency FLOAT, 
	answered_at FLOAT, 
	served_model TEXT, 
	fingerprint TEXT, 
	error TEXT, 
	cached INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "rows" VALUES(1,'91cd38a07797','p01',1,0,'6dc4b5d64f01bc26b8e594c42bcfa8ec5954b83304d9d78fe9af00021c92786c','right',1.0,'number','1','3882','whole',NULL,NULL,'stop',12,3,NULL,0.25,10.0,'m-1','fp',NULL,0);
INSERT INTO "rows" VALUES(2,'91cd38a07797','p01',2,0,'d5f1b5b0738a30a46d9012b8ed48e596b28af6afbc559979ab5af1ea4fff00e5','right',1.0,'number','1','3882','whole',NULL,NULL,'stop',12,3,NULL,0.25,10.0,'m-1','fp',NULL,0);
INSERT INTO "rows" VALUES(3,'91cd38a07797','p02',1,0,'1178829c4bce4fbd0e6cc30fa255200188519463208a105c570f8cac78f24d5c','endpoint_error',NULL,'number','1','3882','whole',NULL,NULL,'stop',12,3,NULL,0.25,NULL,'m-1','fp','{"adapted":[],"body":"","failed_at":9.0,"kind":"server","latency":0.0,"message":"503","resume_after":null,"scope":"call","status":503,"transient":true,"wait":null}',0);
CREATE TABLE suites (
	hash TEXT NOT NULL, 
	name TEXT NOT NULL, 
	json TEXT NOT NULL, 
	kept_at FLOAT NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "suites" VALUES('fdd01554531cb24658f4c20fa1c6cb951eddb2f174d61c62181fab56a48b946f','small','{"average":"micro","items":[{"category":null,"date":null,"expect":{"key":3882,"kind":"number","options":{}},"group":null,"id":"p01","input":"p01?","labels":[],"metadata":{},"options":{},"public":false,"source":null},{"category":null,"date":null,"expect":{"key":3882,"kind":"number","options":{}},"group":null,"id":"p02","input":"p02?","labels":[],"metadata":{},"options":{},"public":false,"source":null}],"metadata":{},"name":"small","params":{},"prompt":null,"public":false,"reading":{"language":"en","strict":false},"system":null,"version":1}',1000.0);
CREATE TABLE texts (
	hash TEXT NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (hash)
);
INSERT INTO "texts" VALUES('f4fcf49100c1593499f8e587459f888400b9bf855c71ba38329cf28b43f2f2b1','[{"content":"p01?","role":"user"}]');
INSERT INTO "texts" VALUES('342891b4a251e41c4dc5b83bd923b4d9f86a35697d99bbbc7f1fc45f78567000','{"max_tokens":16,"model":"m","temperature":0}');
INSERT INTO "texts" VALUES('8b62b262eb62fe752582c00fbf5d35bd396652fc8d46cba6c929512e3929ae30','[{"content":"p02?","role":"user"}]');
CREATE INDEX plans_by_run ON plans (run);
CREATE INDEX invocations_by_run ON invocations (run, number);
CREATE INDEX attempts_by_key ON attempts ("key");
CREATE INDEX attempts_by_time ON attempts (at);
CREATE INDEX rows_by_run ON rows (run);
COMMIT;
