DROP INDEX "uploads_owner_id";--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "idempotency_key" text;--> statement-breakpoint
CREATE UNIQUE INDEX "uploads_owner_id_idempotency_key" ON "uploads" USING btree ("owner_id","idempotency_key");