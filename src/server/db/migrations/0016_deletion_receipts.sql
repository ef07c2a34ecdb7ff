CREATE TABLE "deletion_receipts" (
	"file_id" uuid PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"storage" text NOT NULL,
	"storage_key" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"purged_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"job" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"result" jsonb,
	"failed_at" timestamp with time zone,
	"failure" text
);
--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "purge_due_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "purge_tries" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "purge_try_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "tier_since" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "files_unpurged_keys" ON "files" USING btree ("storage","storage_key" collate "C") WHERE "files"."purged_at" is null;