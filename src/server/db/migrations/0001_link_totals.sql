ALTER TABLE "links" ADD COLUMN "file_count" integer;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "pending_count" integer;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "total_size" bigint;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "first_name" text;--> statement-breakpoint
UPDATE "links" SET ("file_count", "pending_count", "total_size", "first_name") = (
  SELECT count(*), count(*) FILTER (WHERE "is_pending"), sum("size"), (array_agg("name" ORDER BY "position"))[1]
  FROM (
    SELECT "original_name" AS "name", "size", "position", false AS "is_pending" FROM "files" WHERE "link_id" = "links"."id"
    UNION ALL
    SELECT "original_name", "size", "position", true FROM "uploads" WHERE "link_id" = "links"."id"
  ) "entries"
);--> statement-breakpoint
DELETE FROM "links" WHERE "file_count" = 0;--> statement-breakpoint
ALTER TABLE "links" ALTER COLUMN "file_count" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "links" ALTER COLUMN "pending_count" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "links" ALTER COLUMN "total_size" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "links" ALTER COLUMN "first_name" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "links" ADD COLUMN "sort_name" text GENERATED ALWAYS AS (lower(coalesce("links"."title", "links"."first_name"))) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "links_of_owner_by_name" ON "links" USING btree ("owner_id","sort_name","id");--> statement-breakpoint
CREATE INDEX "links_of_owner_by_size" ON "links" USING btree ("owner_id","total_size","id");
