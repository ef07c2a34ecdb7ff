CREATE TABLE "blocked_content" (
	"sha256" text PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"reason" text NOT NULL,
	"blocked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reports" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"file_id" uuid NOT NULL,
	"owner_id" text NOT NULL,
	"short_code" text NOT NULL,
	"original_name" text NOT NULL,
	"mime_type" text NOT NULL,
	"size" bigint NOT NULL,
	"proved_sha256" text,
	"count" integer NOT NULL,
	"statements" jsonb NOT NULL,
	"first_reported_at" timestamp with time zone NOT NULL,
	"last_reported_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"outcome" text
);
--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "is_content_proved" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- The disk store has always computed the SHA-256 itself.
UPDATE "files" SET "is_content_proved" = true WHERE "storage" = 'disk' AND "sha256" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "taken_down_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "takedown_reason" text;--> statement-breakpoint
CREATE INDEX "blocked_content_size" ON "blocked_content" USING btree ("size");--> statement-breakpoint
CREATE UNIQUE INDEX "reports_open_file" ON "reports" USING btree ("file_id") WHERE "reports"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "reports_open" ON "reports" USING btree ("last_reported_at","id") WHERE "reports"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "reports_short_code" ON "reports" USING btree ("short_code");--> statement-breakpoint
CREATE INDEX "files_kept_sha256" ON "files" USING btree ("sha256") WHERE "files"."purging_at" is null and "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_unproved_size" ON "files" USING btree ("size") WHERE not "files"."is_content_proved" and "files"."purged_at" is null;