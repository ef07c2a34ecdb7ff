CREATE TABLE "branding" (
	"user_id" text PRIMARY KEY NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"accent" text,
	"message" text DEFAULT '' NOT NULL,
	"logo" "bytea",
	"logo_key" text,
	"logo_width" smallint,
	"logo_height" smallint,
	"updated_at" timestamp with time zone NOT NULL,
	CONSTRAINT "branding_accent" CHECK ("branding"."accent" ~ '^#[0-9a-f]{6}$'),
	CONSTRAINT "branding_whole_logo" CHECK (num_nonnulls("branding"."logo", "branding"."logo_key", "branding"."logo_width", "branding"."logo_height") in (0, 4))
);
--> statement-breakpoint
ALTER TABLE "branding" ADD CONSTRAINT "branding_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "branding_logo_key" ON "branding" USING btree ("logo_key");