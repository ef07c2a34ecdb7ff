CREATE TABLE "first_downloads" (
	"file_id" uuid PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"user_id" text PRIMARY KEY NOT NULL,
	"default_expiration_days" smallint NOT NULL,
	"mail_on_first_download" boolean NOT NULL,
	"mail_before_expiry" boolean NOT NULL
);
--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "told_expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "first_downloads" ADD CONSTRAINT "first_downloads_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;