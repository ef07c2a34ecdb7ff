CREATE TABLE "owner_downloads" (
	"owner_id" text NOT NULL,
	"day" date NOT NULL,
	"shard" smallint NOT NULL,
	"count" integer NOT NULL,
	CONSTRAINT "owner_downloads_owner_id_day_shard_pk" PRIMARY KEY("owner_id","day","shard")
);
--> statement-breakpoint
DROP INDEX "files_of_owner_by_end";--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "kind" text GENERATED ALWAYS AS (case when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^image\/' then 'image' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^video\/' then 'video' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^audio\/' then 'audio' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/(x-)?pdf$' then 'pdf' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/((x-)?(zip|zip-compressed|7z-compressed|rar|rar-compressed|tar|gtar|gzip|gzip-compressed|compress|compressed|compressed-tar|bzip|bzip2|xz|lzip|lzma|lz4|zstd|brotli|java-archive|iso9660-image|apple-diskimage|cpio|stuffit)|vnd\.rar|vnd\.ms-cab-compressed)$' then 'archive' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^text\/' then 'document' when lower(btrim(split_part("files"."mime_type", ';', 1))) ~ '^application\/(msword|(x-|vnd\.ms-)?(excel|powerpoint|word)([^a-z0-9_].*)?|vnd\.ms-(works|project|xpsdocument|outlook)|vnd\.openxmlformats-officedocument\..+|vnd\.oasis\.opendocument\..+|vnd\.sun\.xml\..+|vnd\.apple\.(pages|numbers|keynote)|rtf|epub\+zip|x-mobipocket-ebook|x-(la)?tex|postscript|(.+\+)?(json|xml)|(x-)?yaml)$' then 'document' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{jpg,jpeg,jfif,png,apng,gif,webp,avif,heic,heif,bmp,tif,tiff,svg,ico,jxl,psd,raw,dng,cr2,nef,arw}') then 'image' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{mp4,m4v,mov,mkv,webm,avi,wmv,flv,mpg,mpeg,m2ts,mts,3gp,ogv}') then 'video' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{mp3,m4a,aac,wav,flac,ogg,oga,opus,wma,aif,aiff,mid,midi,amr}') then 'audio' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{pdf}') then 'pdf' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{zip,7z,rar,tar,gz,tgz,bz2,tbz2,xz,txz,zst,tzst,lz,lz4,lzma,br,z,cab,jar,iso,dmg,cpio,sit}') then 'archive' when lower(substring("files"."original_name" from '[^.]\.([^.]+)$')) = any('{doc,docx,docm,dot,dotx,xls,xlsx,xlsm,xlsb,ppt,pptx,pptm,pps,ppsx,odt,ods,odp,odg,rtf,pages,numbers,key,epub,mobi,txt,text,md,markdown,csv,tsv,log,tex,html,htm,xml,json,yaml,yml,ps,eml,msg}') then 'document' else 'other' end) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "download_rank" smallint GENERATED ALWAYS AS ((case when "files"."download_count" <= 20 then "files"."download_count"
    else 21 + floor(10 * ln("files"."download_count"::float8 / 21)) end)::smallint) STORED NOT NULL;--> statement-breakpoint
ALTER TABLE "files" ADD COLUMN "last_download_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "owner_downloads" ADD CONSTRAINT "owner_downloads_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "files_of_owner_by_downloads" ON "files" USING btree ("owner_id","download_rank","created_at") WHERE "files"."download_rank" > 0;--> statement-breakpoint
CREATE INDEX "files_of_owner_by_end" ON "files" USING btree ("owner_id","expires_at","max_lifetime_at","purging_at","deleted_at","kind","size");--> statement-breakpoint
-- The downloads that are counted already.
INSERT INTO "owner_downloads" ("owner_id", "day", "shard", "count")
	SELECT "files"."owner_id", "file_downloads"."day", 0, sum("file_downloads"."count")
	FROM "file_downloads" JOIN "files" ON "files"."id" = "file_downloads"."file_id"
	GROUP BY "files"."owner_id", "file_downloads"."day";
