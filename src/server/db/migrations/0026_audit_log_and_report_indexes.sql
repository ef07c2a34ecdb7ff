CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "audit_log_action_actor" ON "audit_log" USING btree ("action","actor","id");--> statement-breakpoint
CREATE INDEX "audit_log_action_subject" ON "audit_log" USING btree ("action","subject","id");--> statement-breakpoint
CREATE INDEX "reports_file" ON "reports" USING btree ("file_id","last_reported_at");--> statement-breakpoint
CREATE INDEX "reports_closed_owner" ON "reports" USING btree ("owner_id") WHERE "reports"."closed_at" is not null;--> statement-breakpoint
CREATE INDEX "reports_closed" ON "reports" USING btree ("closed_at") WHERE "reports"."closed_at" is not null;