CREATE TABLE "removals" (
	"storage_key" text PRIMARY KEY NOT NULL,
	"storage" text NOT NULL,
	"due_at" timestamp with time zone NOT NULL,
	"tries" integer NOT NULL,
	"try_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "removals_storage_try_at" ON "removals" USING btree ("storage","try_at");