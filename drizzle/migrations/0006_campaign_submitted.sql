-- Campaigns that were moved on by hand before their cards were handed over: the moment of mailing is the
-- latest at which the vendor can have had them.
UPDATE "campaigns" SET "submitted_at" = "mailed_at" WHERE "submitted_at" IS NULL AND "state" IN ('mailed', 'delivered_est');--> statement-breakpoint
ALTER TABLE "campaigns" DROP CONSTRAINT "campaigns_moves";--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_submitted" CHECK ("campaigns"."state" in ('draft', 'production') or "campaigns"."submitted_at" is not null);--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_moves" CHECK (("campaigns"."mailed_at" is not null) = ("campaigns"."state" in ('mailed', 'delivered_est')) and ("campaigns"."due_at" is null or "campaigns"."state" in ('production', 'mailed')) and ("campaigns"."cancelled_at" is null or ("campaigns"."state" in ('draft', 'production') and "campaigns"."due_at" is null)));