CREATE TABLE "pending_signups" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"first_name" text NOT NULL,
	"last_name" text NOT NULL,
	"password_hash" text NOT NULL,
	"browser" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sent_letters" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"email" text NOT NULL,
	"kind" text NOT NULL,
	"sent_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "account_tokens" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "account_tokens" ADD COLUMN "signup_id" text;--> statement-breakpoint
CREATE INDEX "pending_signups_email_created_at" ON "pending_signups" USING btree ("email","created_at" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "sent_letters_email_sent_at" ON "sent_letters" USING btree ("email","sent_at");--> statement-breakpoint
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_signup_id_pending_signups_id_fk" FOREIGN KEY ("signup_id") REFERENCES "public"."pending_signups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "account_tokens_signup_id" ON "account_tokens" USING btree ("signup_id");--> statement-breakpoint
ALTER TABLE "account_tokens" ADD CONSTRAINT "account_tokens_one_subject" CHECK (num_nonnulls("account_tokens"."user_id", "account_tokens"."signup_id") = 1);