ALTER TABLE "outbox" DROP CONSTRAINT "outbox_task";--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "submitted_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "due_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "campaigns" ADD COLUMN "cancelled_at" timestamp (6) with time zone;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "refused_contacts" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "orders" ADD COLUMN "paid_at" timestamp (6) with time zone;--> statement-breakpoint
CREATE INDEX "campaigns_newest" ON "campaigns" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "campaigns_due" ON "campaigns" USING btree ("due_at") WHERE "campaigns"."due_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "orders_batch" ON "orders" USING btree ("batch_id","parcel_id");--> statement-breakpoint
CREATE INDEX "orders_cards" ON "orders" USING btree ("account_id","campaign_id") WHERE "orders"."campaign_id" is not null;--> statement-breakpoint
CREATE INDEX "orders_tracing" ON "orders" USING btree ("paid_at") WHERE "orders"."status" = 'PAID' and "orders"."service" = 'SKIP_TRACE';--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_task" CHECK ("outbox"."task" in ('event', 'delivery', 'wake', 'health', 'replay', 'mail', 'skip_trace', 'postcards'));--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_moves" CHECK (("campaigns"."mailed_at" is not null) = ("campaigns"."state" in ('mailed', 'delivered_est')) and ("campaigns"."due_at" is null or "campaigns"."state" in ('production', 'mailed')) and ("campaigns"."cancelled_at" is null or "campaigns"."state" = 'draft'));