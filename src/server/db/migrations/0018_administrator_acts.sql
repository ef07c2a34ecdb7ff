ALTER TABLE "uploads" DROP CONSTRAINT "uploads_owner_id_users_id_fk";
--> statement-breakpoint
ALTER TABLE "removals" ADD COLUMN "file_id" uuid;--> statement-breakpoint
ALTER TABLE "removals" ADD COLUMN "owner_id" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD CONSTRAINT "uploads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE restrict ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "audit_log_deleted_address" ON "audit_log" USING btree (("details" ->> 'email')) WHERE "audit_log"."action" = 'delete-user';