DROP INDEX "accounts_user_id";--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_user_id_provider_id" ON "accounts" USING btree ("user_id","provider_id");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_provider_id_account_id" ON "accounts" USING btree ("provider_id","account_id");