CREATE TABLE "stored_bytes" (
	"storage" text NOT NULL,
	"shard" smallint NOT NULL,
	"bytes" bigint NOT NULL,
	CONSTRAINT "stored_bytes_storage_shard_pk" PRIMARY KEY("storage","shard")
);
--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "tier" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "max_files" integer;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "max_lifetime_days" smallint DEFAULT 30 NOT NULL;
--> statement-breakpoint
-- Adds to the sum of a store, in the row of this connection.
CREATE FUNCTION "count_stored_bytes"("store" text, "change" bigint) RETURNS void LANGUAGE sql AS $$
	INSERT INTO "stored_bytes" ("storage", "shard", "bytes")
	VALUES ("store", pg_backend_pid() % 16, "change")
	ON CONFLICT ("storage", "shard") DO UPDATE
		SET "bytes" = "stored_bytes"."bytes" + EXCLUDED."bytes"
$$;
--> statement-breakpoint
CREATE FUNCTION "files_count_added"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count_stored_bytes("storage", sum("size")::bigint)
		FROM "added" WHERE "purged_at" IS NULL GROUP BY "storage";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "files_count_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count_stored_bytes("storage", -sum("size")::bigint)
		FROM "removed" WHERE "purged_at" IS NULL GROUP BY "storage";
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "files_count_purged"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM count_stored_bytes(NEW."storage", CASE WHEN NEW."purged_at" IS NULL THEN NEW."size" ELSE -NEW."size" END);
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "files_stored_added" AFTER INSERT ON "files"
	REFERENCING NEW TABLE AS "added" FOR EACH STATEMENT EXECUTE FUNCTION "files_count_added"();
--> statement-breakpoint
CREATE TRIGGER "files_stored_removed" AFTER DELETE ON "files"
	REFERENCING OLD TABLE AS "removed" FOR EACH STATEMENT EXECUTE FUNCTION "files_count_removed"();
--> statement-breakpoint
-- Size and store of a file never change. Other updates, such as those that count downloads, do not
-- name this column and cost nothing here.
CREATE TRIGGER "files_stored_purged" AFTER UPDATE OF "purged_at" ON "files"
	FOR EACH ROW WHEN ((OLD."purged_at" IS NULL) IS DISTINCT FROM (NEW."purged_at" IS NULL))
	EXECUTE FUNCTION "files_count_purged"();
--> statement-breakpoint
INSERT INTO "stored_bytes" ("storage", "shard", "bytes")
	SELECT "storage", 0, sum("size")::bigint FROM "files" WHERE "purged_at" IS NULL GROUP BY "storage";
