DROP INDEX "files_unpurged_expires_at";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "recheck_files" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "files_unpurged_by_look" ON "files" USING btree ("storage",coalesce("purge_try_at", "expires_at")) WHERE "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_kept_of_owner" ON "files" USING btree ("owner_id","id") WHERE "files"."purge_try_at" is not null and "files"."purging_at" is null and "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_purging" ON "files" USING btree ("purge_due_at") WHERE "files"."purging_at" is not null and "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "users_recheck_files" ON "users" USING btree ("id") WHERE "users"."recheck_files";--> statement-breakpoint
CREATE FUNCTION "users_recheck_files"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."recheck_files" := true;
	RETURN NEW;
END $$;
--> statement-breakpoint
-- Whoever changes a tier, also a server of the version before, has the purge look at the user's files
-- again. Other updates of users do not name these columns and cost nothing here.
CREATE TRIGGER "users_tier_changed" BEFORE UPDATE OF "tier", "premium_trial_ends_at" ON "users"
	FOR EACH ROW WHEN (
		OLD."tier" IS DISTINCT FROM NEW."tier"
		OR OLD."premium_trial_ends_at" IS DISTINCT FROM NEW."premium_trial_ends_at"
	)
	EXECUTE FUNCTION "users_recheck_files"();
