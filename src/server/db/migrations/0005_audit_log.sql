CREATE TABLE "audit_log" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "audit_log_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"at" timestamp with time zone NOT NULL,
	"actor" text,
	"action" text NOT NULL,
	"subject" text,
	"ip_address" text,
	"details" jsonb NOT NULL
);
--> statement-breakpoint
CREATE INDEX "users_running_trials" ON "users" USING btree ("premium_trial_ends_at") WHERE "users"."tier" = 'premium' and "users"."premium_trial_ends_at" is not null;