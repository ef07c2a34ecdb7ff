-- The owner of a database may create this extension: Postgres has trusted it since version 13.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
