DROP INDEX "deals_activity";--> statement-breakpoint
CREATE INDEX "deals_activity" ON "deals" USING btree ("account_id","last_activity_at","id");--> statement-breakpoint
ALTER TABLE "deals" ADD CONSTRAINT "deals_dead_reason" CHECK ("deals"."status" = 'DEAD' or "deals"."dead_reason" is null);--> statement-breakpoint
-- What was due without saying what: the date is kept.
UPDATE "deals" SET "next_action" = 'Follow up' WHERE "next_action" is null and "next_action_due" is not null;--> statement-breakpoint
ALTER TABLE "deals" ADD CONSTRAINT "deals_next_action_due" CHECK ("deals"."next_action" is not null or "deals"."next_action_due" is null);