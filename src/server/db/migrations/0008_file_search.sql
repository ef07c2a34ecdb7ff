DROP INDEX "files_owner_id_created_at";--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "search_name" text GENERATED ALWAYS AS (lower("files"."original_name")) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "files_of_owner" ON "files" USING btree ("owner_id","created_at","id","search_name","deleted_at");--> statement-breakpoint
CREATE INDEX "files_of_owner_by_end" ON "files" USING btree ("owner_id","expires_at","max_lifetime_at","purging_at","deleted_at");