ALTER TABLE "deletion_receipts" ADD COLUMN "original_name" text;--> statement-breakpoint
CREATE INDEX "deletion_receipts_of_owner" ON "deletion_receipts" USING btree ("owner_id","purged_at","file_id") WHERE "deletion_receipts"."original_name" is not null;--> statement-breakpoint
CREATE INDEX "deletion_receipts_named" ON "deletion_receipts" USING btree ("purged_at") WHERE "deletion_receipts"."original_name" is not null;--> statement-breakpoint
CREATE INDEX "uploads_keys" ON "uploads" USING btree ("storage","storage_key" collate "C");