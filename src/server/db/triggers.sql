-- Space left in each page lets a counted download update its row in place.
ALTER TABLE "files" SET (fillfactor = 90);
--> statement-breakpoint
-- The audit log is append-only.
CREATE FUNCTION "audit_log_refuse_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'audit_log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_keep_rows" BEFORE UPDATE OR DELETE ON "audit_log"
	FOR EACH ROW EXECUTE FUNCTION "audit_log_refuse_change"();
--> statement-breakpoint
CREATE TRIGGER "audit_log_keep_all" BEFORE TRUNCATE ON "audit_log"
	FOR EACH STATEMENT EXECUTE FUNCTION "audit_log_refuse_change"();
--> statement-breakpoint
-- Adds to the total of a store, in the shard of this connection.
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
-- The size and the store of a file never change. Updates that do not name this column, such as
-- counted downloads, do not run the trigger.
CREATE TRIGGER "files_stored_purged" AFTER UPDATE OF "purged_at" ON "files"
	FOR EACH ROW WHEN ((OLD."purged_at" IS NULL) IS DISTINCT FROM (NEW."purged_at" IS NULL))
	EXECUTE FUNCTION "files_count_purged"();
--> statement-breakpoint
CREATE FUNCTION "users_recheck_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."recheck_files" := true;
	RETURN NEW;
END $$;
--> statement-breakpoint
-- Every change of a tier makes the purge check the files of the user again.
CREATE TRIGGER "users_tier_changed" BEFORE UPDATE OF "tier", "premium_trial_ends_at" ON "users"
	FOR EACH ROW WHEN (
		OLD."tier" IS DISTINCT FROM NEW."tier"
		OR OLD."premium_trial_ends_at" IS DISTINCT FROM NEW."premium_trial_ends_at"
	)
	EXECUTE FUNCTION "users_recheck_files"();
