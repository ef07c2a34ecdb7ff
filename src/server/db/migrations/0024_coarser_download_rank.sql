-- Leaves room in each page, so that a counted download changes its row in place. The new column
-- writes all pages anew.
ALTER TABLE "files" SET (fillfactor = 90);--> statement-breakpoint
ALTER TABLE "files" drop column "download_rank";--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "download_rank" smallint GENERATED ALWAYS AS ((case when "files"."download_count" < 1 then 0 when "files"."download_count" < 2 then 1 when "files"."download_count" < 3 then 2 when "files"."download_count" < 5 then 3 when "files"."download_count" < 8 then 4 when "files"."download_count" < 13 then 5 when "files"."download_count" < 21 then 6
    else 7 + floor(10 * ln("files"."download_count"::float8 / 21)) end)::smallint) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "files_of_owner_by_downloads" ON "files" USING btree ("owner_id","download_rank","created_at") WHERE "files"."download_rank" > 0;
