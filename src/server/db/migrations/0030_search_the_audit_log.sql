DROP INDEX "audit_log_subject";--> statement-breakpoint
DROP INDEX "audit_log_action";--> statement-breakpoint
DROP INDEX "audit_log_action_actor";--> statement-breakpoint
DROP INDEX "audit_log_action_subject";--> statement-breakpoint
DROP INDEX "audit_log_deleted_address";--> statement-breakpoint
CREATE INDEX "audit_log_time" ON "audit_log" USING btree ("at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_actor" ON "audit_log" USING btree ("actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_subject" ON "audit_log" USING btree ("subject","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_address" ON "audit_log" USING btree ("ip_address","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_code" ON "audit_log" USING btree (("details" ->> 'shortCode'),"at","id") WHERE ("audit_log"."details" ->> 'shortCode') is not null;--> statement-breakpoint
CREATE INDEX "audit_log_time_of_action" ON "audit_log" USING btree ("action","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_action_actor" ON "audit_log" USING btree ("action","actor","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_action_subject" ON "audit_log" USING btree ("action","subject","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_action_address" ON "audit_log" USING btree ("action","ip_address","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_time_of_action_code" ON "audit_log" USING btree ("action",("details" ->> 'shortCode'),"at","id") WHERE ("audit_log"."details" ->> 'shortCode') is not null;--> statement-breakpoint
CREATE INDEX "audit_log_deleted_address" ON "audit_log" USING btree (("details" ->> 'email'),"at") WHERE "audit_log"."action" = 'delete-user';