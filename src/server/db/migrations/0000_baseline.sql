-- The owner of a database may create this extension: Postgres has trusted it since version 13.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE TABLE "account_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"signup_id" text,
	"purpose" text NOT NULL,
	"stamp" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	CONSTRAINT "account_tokens_one_subject" CHECK (num_nonnulls("account_tokens"."user_id", "account_tokens"."signup_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"password" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"scopes" text[] NOT NULL,
	"expires_at" timestamp with time zone,
	"created_at" timestamp with time zone NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor" text,
	"action" text NOT NULL,
	"subject" text,
	"ip_address" text,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "blocked_content" (
	"sha256" text PRIMARY KEY NOT NULL,
	"size" bigint NOT NULL,
	"reason" text NOT NULL,
	"blocked_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "branding" (
	"user_id" text PRIMARY KEY NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"accent" text,
	"message" text DEFAULT '' NOT NULL,
	"logo" "bytea",
	"logo_key" text,
	"logo_width" smallint,
	"logo_height" smallint,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "branding_accent" CHECK ("branding"."accent" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "branding_whole_logo" CHECK (num_nonnulls("branding"."logo", "branding"."logo_key", "branding"."logo_width", "branding"."logo_height") in (0, 4))
);
--> statement-breakpoint
CREATE TABLE "deletion_receipts" (
	"file_id" uuid PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL,
	"storage" text NOT NULL,
	"storage_key" text NOT NULL,
	"original_name" text,
	"due_at" timestamp with time zone NOT NULL,
	"purged_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "download_starts" (
	"link_id" uuid NOT NULL,
	"client" text NOT NULL,
	CONSTRAINT "download_starts_link_id_client_pk" PRIMARY KEY("link_id","client")
);
--> statement-breakpoint
CREATE TABLE "email_opt_outs" (
	"address" text PRIMARY KEY NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"category" text,
	"message" text NOT NULL,
	"is_suspect" boolean NOT NULL,
	"created_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "file_downloads" (
	"file_id" uuid NOT NULL,
	"day" date NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "file_downloads_file_id_day_pk" PRIMARY KEY("file_id","day")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" text NOT NULL,
	"storage" text NOT NULL,
	"storage_key" text NOT NULL,
	"original_name" text NOT NULL,
	"search_name" text GENERATED ALWAYS AS (lower("files"."original_name")) STORED NOT NULL,
	"mime_type" text NOT NULL,
	"kind" text GENERATED ALWAYS AS (case when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^image\/' then 'image' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^video\/' then 'video' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^audio\/' then 'audio' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/(x-)?pdf$' then 'pdf' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/((x-)?(zip|zip-compressed|7z-compressed|rar|rar-compressed|tar|gtar|gzip|gzip-compressed|compress|compressed|compressed-tar|bzip|bzip2|xz|lzip|lzma|lz4|zstd|brotli|java-archive|iso9660-image|apple-diskimage|cpio|stuffit)|vnd\.rar|vnd\.ms-cab-compressed)$' then 'archive' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^text\/' then 'document' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/(msword|(x-|vnd\.ms-)?(excel|powerpoint|word)([^a-z0-9_].*)?|vnd\.ms-(works|project|xpsdocument|outlook)|vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|vnd\.sun\.xml\..+|vnd\.apple\.(pages|numbers|keynote)|rtf|epub\+zip|x-mobipocket-ebook|x-(la)?tex|postscript|(.+\+)?(json|xml)|(x-)?yaml)$' then 'document' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{jpg,jpeg,jfif,png,apng,gif,webp,avif,heic,heif,bmp,tif,tiff,svg,ico,jxl,psd,raw,dng,cr2,nef,arw}') then 'image' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{mp4,m4v,mov,mkv,webm,avi,wmv,flv,mpg,mpeg,m2ts,mts,3gp,ogv}') then 'video' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{mp3,m4a,aac,wav,flac,ogg,oga,opus,wma,aif,aiff,mid,midi,amr}') then 'audio' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{pdf}') then 'pdf' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{zip,7z,rar,tar,gz,tgz,bz2,tbz2,xz,txz,zst,tzst,lz,lz4,lzma,br,z,cab,jar,iso,dmg,cpio,sit}') then 'archive' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{doc,docx,docm,dot,dotx,xls,xlsx,xlsm,xlsb,ppt,pptx,pptm,pps,ppsx,odt,ods,odp,odg,rtf,pages,numbers,key,epub,mobi,txt,text,md,markdown,csv,tsv,log,tex,html,htm,xml,json,yaml,yml,ps,eml,msg}') then 'document' else 'other' end) STORED NOT NULL,
	"size" bigint NOT NULL,
	"link_id" uuid,
	"position" integer NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"download_count" integer DEFAULT 0 NOT NULL,
	"last_download_at" timestamp with time zone,
	"upload_duration" real,
	"sha256" text,
	"crc32" bigint,
	"is_content_proved" boolean DEFAULT false NOT NULL,
	"deleted_at" timestamp with time zone,
	"taken_down_at" timestamp with time zone,
	"takedown_reason" text,
	"purging_at" timestamp with time zone,
	"purged_at" timestamp with time zone,
	"purge_due_at" timestamp with time zone,
	"purge_tries" integer DEFAULT 0 NOT NULL,
	"purge_at" timestamp with time zone NOT NULL,
	CONSTRAINT "files_storage_key_unique" UNIQUE("storage_key")
);
--> statement-breakpoint
CREATE TABLE "first_downloads" (
	"link_id" uuid PRIMARY KEY NOT NULL,
	"owner_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "job_runs" (
	"job" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"result" jsonb,
	"failed_at" timestamp with time zone,
	"failure" text,
	"failures" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "link_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"link_id" uuid NOT NULL,
	"email" text NOT NULL,
	"message" text,
	"created_at" timestamp with time zone NOT NULL,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "links" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" text NOT NULL,
	"short_code" text NOT NULL,
	"title" text,
	"message" text,
	"password_hash" text,
	"max_downloads" integer,
	"download_count" integer DEFAULT 0 NOT NULL,
	"expiration_days" smallint NOT NULL,
	"max_lifetime_days" smallint NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"ready_at" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL,
	"max_lifetime_at" timestamp with time zone NOT NULL,
	"notified_expires_at" timestamp with time zone,
	"request_id" uuid,
	"sender_name" text,
	"shared" boolean DEFAULT true NOT NULL,
	CONSTRAINT "links_short_code_unique" UNIQUE("short_code")
);
--> statement-breakpoint
CREATE TABLE "owner_downloads" (
	"owner_id" text NOT NULL,
	"day" date NOT NULL,
	"shard" smallint NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "owner_downloads_owner_id_day_shard_pk" PRIMARY KEY("owner_id","day","shard")
);
--> statement-breakpoint
CREATE TABLE "pending_signups" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"password_hash" text NOT NULL,
	"browser" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "preferences" (
	"user_id" text PRIMARY KEY NOT NULL,
	"default_expiration_days" smallint NOT NULL,
	"mail_on_first_download" boolean NOT NULL,
	"mail_before_expiry" boolean NOT NULL,
	"mail_on_delivery" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"points" integer DEFAULT 0 NOT NULL,
	"expire" bigint
);
--> statement-breakpoint
CREATE TABLE "removals" (
	"storage_key" text PRIMARY KEY NOT NULL,
	"storage" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"tries" integer NOT NULL,
	"try_at" timestamp with time zone NOT NULL,
	"file_id" uuid,
	"owner_id" text
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
CREATE TABLE "requests" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" text NOT NULL,
	"code" text NOT NULL,
	"title" text NOT NULL,
	"message" text,
	"password_hash" text,
	"max_links" integer,
	"max_file_size" bigint,
	"created_at" timestamp with time zone NOT NULL,
	"closes_at" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"notified_closes_at" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "requests_code_unique" UNIQUE("code")
);
--> statement-breakpoint
CREATE TABLE "sent_emails" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"kind" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "sessions_token_unique" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"key" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "short_codes" (
	"code" text PRIMARY KEY NOT NULL,
	"issued_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "uploads" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"owner_id" text NOT NULL,
	"storage" text NOT NULL,
	"storage_key" text NOT NULL,
	"original_name" text NOT NULL,
	"mime_type" text NOT NULL,
	"size" bigint NOT NULL,
	"link_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"part_size" bigint DEFAULT 8388608 NOT NULL,
	"tier" text,
	"max_files" integer,
	"idempotency_key" text,
	"created_at" timestamp with time zone NOT NULL,
	"last_activity_at" timestamp with time zone NOT NULL,
	CONSTRAINT "uploads_storage_key_unique" UNIQUE("storage_key")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"image" text,
	"created_at" timestamp with time zone NOT NULL,
	"updated_at" timestamp with time zone NOT NULL,
	"first_name" text DEFAULT '' NOT NULL,
	"last_name" text DEFAULT '' NOT NULL,
	"tier" text DEFAULT 'free' NOT NULL,
	"role" text DEFAULT 'user' NOT NULL,
	"premium_trial_started_at" timestamp with time zone,
	"premium_trial_ends_at" timestamp with time zone,
	"search_text" text GENERATED ALWAYS AS (lower("users"."email" || ' ' || "users"."name")) STORED NOT NULL,
	CONSTRAINT "users_email_unique" UNIQUE("email")
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"identifier" text PRIMARY KEY NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_signup_id_pending_signups_id_fk" FOREIGN KEY ("signup_id") REFERENCES "public"."pending_signups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "accounts" ADD CONSTRAINT "accounts_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "branding" ADD CONSTRAINT "branding_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "download_starts" ADD CONSTRAINT "download_starts_link_id_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_downloads" ADD CONSTRAINT "file_downloads_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "files" ADD CONSTRAINT "files_link_id_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."links"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "first_downloads" ADD CONSTRAINT "first_downloads_link_id_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."links"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "link_emails" ADD CONSTRAINT "link_emails_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "links" ADD CONSTRAINT "links_request_id_requests_id_fk" FOREIGN KEY ("request_id") REFERENCES "public"."requests"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "owner_downloads" ADD CONSTRAINT "owner_downloads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "preferences" ADD CONSTRAINT "preferences_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "requests" ADD CONSTRAINT "requests_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_link_id_links_id_fk" FOREIGN KEY ("link_id") REFERENCES "public"."links"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_tokens_user_id" ON "account_tokens" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "account_tokens_signup_id" ON "account_tokens" USING btree ("signup_id");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_user_id_provider_id" ON "accounts" USING btree ("user_id","provider_id");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_provider_id_account_id" ON "accounts" USING btree ("provider_id","account_id");--> statement-breakpoint
CREATE INDEX "api_keys_owner_id" ON "api_keys" USING btree ("owner_id","created_at");--> statement-breakpoint
CREATE INDEX "audit_log_time" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "audit_log" USING btree ("actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_address" ON "audit_log" USING btree ("ip_address","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_code" ON "audit_log" USING btree (("details" ->> 'shortCode'),"at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_deleted_address" ON "audit_log" USING btree (("details" ->> 'email'),"at") WHERE "audit_log"."action" = 'delete-user';--> statement-breakpoint
CREATE INDEX "blocked_content_size" ON "blocked_content" USING btree ("size");--> statement-breakpoint
CREATE INDEX "branding_logo_key" ON "branding" USING btree ("logo_key");--> statement-breakpoint
CREATE INDEX "deletion_receipts_of_owner" ON "deletion_receipts" USING btree ("owner_id","purged_at","file_id") WHERE "deletion_receipts"."original_name" is not null;--> statement-breakpoint
CREATE INDEX "deletion_receipts_named" ON "deletion_receipts" USING btree ("purged_at") WHERE "deletion_receipts"."original_name" is not null;--> statement-breakpoint
CREATE INDEX "feedback_created_at" ON "feedback" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "files_of_owner" ON "files" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "files_of_link" ON "files" USING btree ("link_id","position");--> statement-breakpoint
CREATE INDEX "files_of_owner_by_link" ON "files" USING btree ("owner_id","link_id","purging_at","deleted_at","kind","size");--> statement-breakpoint
CREATE INDEX "files_kept_sha256" ON "files" USING btree ("sha256") WHERE "files"."purging_at" is null and "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_to_hash" ON "files" USING btree ("storage","id") WHERE not "files"."is_content_proved" and "files"."purged_at" is null and ("files"."purging_at" is null or "files"."taken_down_at" is not null);--> statement-breakpoint
CREATE INDEX "files_to_purge" ON "files" USING btree ("storage","purge_at") WHERE "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_kept_of_owner" ON "files" USING btree ("owner_id","id") WHERE "files"."purging_at" is null and "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_unpurged_size" ON "files" USING btree ("storage","size") WHERE "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "files_unpurged_keys" ON "files" USING btree ("storage","storage_key" collate "C") WHERE "files"."purged_at" is null;--> statement-breakpoint
CREATE INDEX "first_downloads_of_owner" ON "first_downloads" USING btree ("owner_id","link_id");--> statement-breakpoint
CREATE INDEX "link_emails_of_owner" ON "link_emails" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "link_emails_failed" ON "link_emails" USING btree ("link_id") WHERE "link_emails"."failed_at" is not null;--> statement-breakpoint
CREATE INDEX "links_of_owner" ON "links" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "links_of_owner_by_end" ON "links" USING btree ("owner_id","expires_at","max_lifetime_at","id");--> statement-breakpoint
CREATE INDEX "links_of_request" ON "links" USING btree ("request_id") WHERE "links"."request_id" is not null;--> statement-breakpoint
CREATE INDEX "pending_signups_email_created_at" ON "pending_signups" USING btree ("email","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "removals_storage_try_at" ON "removals" USING btree ("storage","try_at");--> statement-breakpoint
CREATE UNIQUE INDEX "reports_open_file" ON "reports" USING btree ("file_id") WHERE "reports"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "reports_open" ON "reports" USING btree ("last_reported_at","id") WHERE "reports"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "reports_short_code" ON "reports" USING btree ("short_code");--> statement-breakpoint
CREATE INDEX "reports_file" ON "reports" USING btree ("file_id","last_reported_at");--> statement-breakpoint
CREATE INDEX "reports_closed_owner" ON "reports" USING btree ("owner_id") WHERE "reports"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "reports_closed" ON "reports" USING btree ("closed_at") WHERE "reports"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "requests_of_owner" ON "requests" USING btree ("owner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "requests_by_date" ON "requests" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "requests_by_end" ON "requests" USING btree ("closes_at") WHERE "requests"."closed_at" is null;--> statement-breakpoint
CREATE INDEX "sent_emails_email_sent_at" ON "sent_emails" USING btree ("email","sent_at");--> statement-breakpoint
CREATE INDEX "sessions_user_id" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_owner_id_idempotency_key" ON "uploads" USING btree ("owner_id","idempotency_key");--> statement-breakpoint
CREATE INDEX "uploads_last_activity_at" ON "uploads" USING btree ("last_activity_at");--> statement-breakpoint
CREATE INDEX "uploads_of_link" ON "uploads" USING btree ("link_id");--> statement-breakpoint
CREATE INDEX "uploads_keys" ON "uploads" USING btree ("storage","storage_key" collate "C");--> statement-breakpoint
CREATE INDEX "users_running_trials" ON "users" USING btree ("premium_trial_ends_at") WHERE "users"."tier" = 'premium' and "users"."premium_trial_ends_at" is not null;--> statement-breakpoint
CREATE INDEX "users_created_at" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "users_search_text" ON "users" USING gin ("search_text" gin_trgm_ops);
--> statement-breakpoint
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
