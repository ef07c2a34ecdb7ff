ALTER TABLE "files" ADD COLUMN "sha256" text;--> statement-breakpoint
ALTER TABLE "uploads" ADD COLUMN "part_size" bigint DEFAULT 8388608 NOT NULL;