ALTER TABLE "uploads" RENAME COLUMN "cloud_key" TO "storage_key";--> statement-breakpoint
ALTER TABLE "uploads" RENAME CONSTRAINT "uploads_cloud_key_unique" TO "uploads_storage_key_unique";
