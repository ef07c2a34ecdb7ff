ALTER TABLE "first_downloads" ADD COLUMN "owner_id" text;--> statement-breakpoint
UPDATE "first_downloads" SET "owner_id" = "files"."owner_id" FROM "files" WHERE "files"."id" = "first_downloads"."file_id";--> statement-breakpoint
ALTER TABLE "first_downloads" ALTER COLUMN "owner_id" SET NOT NULL;--> statement-breakpoint
CREATE INDEX "first_downloads_of_owner" ON "first_downloads" USING btree ("owner_id","file_id");
