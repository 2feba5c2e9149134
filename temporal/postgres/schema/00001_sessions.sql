-- Programs before these files made the same tables, and look into rein_version.

-- +goose Up
CREATE TABLE IF NOT EXISTS rein_events (session text NOT NULL, seq bigint NOT NULL, line bytea NOT NULL, PRIMARY KEY (session, seq));
CREATE TABLE IF NOT EXISTS rein_data (session text NOT NULL, name text NOT NULL, data bytea NOT NULL, PRIMARY KEY (session, name));
CREATE TABLE IF NOT EXISTS rein_version (version int NOT NULL);
INSERT INTO rein_version SELECT 1 WHERE NOT EXISTS (SELECT FROM rein_version);
