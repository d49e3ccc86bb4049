CREATE TABLE "audit_log" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject_id" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "audit_log_action" CHECK ("audit_log"."action" in ('endpoint.created', 'endpoint.updated', 'endpoint.paused', 'endpoint.resumed', 'endpoint.deleted', 'endpoint.tested', 'endpoint.secret_revealed', 'endpoint.secret_prepared', 'endpoint.secret_switched', 'endpoint.replay_started', 'endpoint.replay_stopped', 'delivery.redelivered', 'key.created', 'key.revoked'))
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"about" text NOT NULL,
	"recipient" text NOT NULL,
	"subject" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"expected_at" timestamp (6) with time zone DEFAULT clock_timestamp(),
	"sent_at" timestamp (6) with time zone,
	CONSTRAINT "mails_sent" CHECK (("mails"."sent_at" is null) = ("mails"."expected_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "replays" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"actor" text NOT NULL,
	"states" text[] NOT NULL,
	"since" timestamp (6) with time zone,
	"until" timestamp (6) with time zone,
	"total" integer NOT NULL,
	"made" integer DEFAULT 0 NOT NULL,
	"state" text DEFAULT 'running' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "replays_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "replays_state" CHECK ("replays"."state" in ('running', 'done', 'stopped') and ("replays"."state" = 'running') = ("replays"."finished_at" is null))
);
--> statement-breakpoint
DROP INDEX "deliveries_event_endpoint";
--> statement-breakpoint
ALTER TABLE "deliveries" ALTER COLUMN "event_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "kind" text DEFAULT 'automatic' NOT NULL;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "event_type" text;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "event_at" timestamp (6) with time zone;
--> statement-breakpoint
UPDATE "deliveries" d SET "event_type" = e."type", "event_at" = e."created_at" FROM "events" e WHERE e."id" = d."event_id";
--> statement-breakpoint
ALTER TABLE "deliveries" ALTER COLUMN "event_type" SET NOT NULL, ALTER COLUMN "event_at" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "round" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "redelivery_of" text;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "replaced_by" text;
--> statement-breakpoint
ALTER TABLE "deliveries" ADD COLUMN "replay_id" text;
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "sealed_next_secret" "bytea";
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "failing_since" timestamp (6) with time zone;
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "health_version" integer DEFAULT 1 NOT NULL;
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "health_era" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "paused_at" timestamp (6) with time zone;
--> statement-breakpoint
ALTER TABLE "endpoints" ADD COLUMN "pause_reason" text;
--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "mails" ADD CONSTRAINT "mails_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "replays" ADD CONSTRAINT "replays_endpoint" FOREIGN KEY ("account_id","endpoint_id") REFERENCES "public"."endpoints"("account_id","id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "audit_log_account" ON "audit_log" USING btree ("account_id","id");
--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "audit_log" USING btree ("subject_id","id");
--> statement-breakpoint
CREATE UNIQUE INDEX "mails_about" ON "mails" USING btree ("about");
--> statement-breakpoint
CREATE INDEX "mails_unsent" ON "mails" USING btree ("expected_at") WHERE "mails"."sent_at" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "replays_one_running" ON "replays" USING btree ("endpoint_id") WHERE "replays"."finished_at" is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_event_endpoint_round" ON "deliveries" USING btree ("event_id","endpoint_id","round");
--> statement-breakpoint
CREATE INDEX "deliveries_waiting" ON "deliveries" USING btree ("endpoint_id","event_at","id") WHERE "deliveries"."replaced_by" is null and "deliveries"."state" in ('failed', 'skipped') and "deliveries"."kind" <> 'test';
--> statement-breakpoint
CREATE INDEX "deliveries_replay" ON "deliveries" USING btree ("replay_id") WHERE "deliveries"."replay_id" is not null;
--> statement-breakpoint
CREATE INDEX "endpoints_failing" ON "endpoints" USING btree ("failing_since") WHERE "endpoints"."failing_since" is not null and "endpoints"."state" = 'active';
--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_kind" CHECK ("deliveries"."kind" in ('automatic', 'redelivery', 'last_attempt', 'test') and ("deliveries"."kind" = 'test') = ("deliveries"."event_id" is null) and ("deliveries"."kind" in ('redelivery', 'last_attempt')) = ("deliveries"."redelivery_of" is not null) and ("deliveries"."redelivery_of" is not null) = ("deliveries"."round" > 0));
--> statement-breakpoint
UPDATE "endpoints" SET "paused_at" = "updated_at", "pause_reason" = 'manual' WHERE "state" = 'paused';
--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_paused" CHECK (("endpoints"."state" = 'paused') = ("endpoints"."paused_at" is not null) and ("endpoints"."paused_at" is null) = ("endpoints"."pause_reason" is null) and ("endpoints"."pause_reason" is null or "endpoints"."pause_reason" in ('manual', 'failing')));
--> statement-breakpoint
-- What the old queue held is found again in deliveries, by the reconciler.
DROP TABLE "outbox";
--> statement-breakpoint
CREATE TABLE "outbox" (
	"key" text PRIMARY KEY NOT NULL,
	"task" text NOT NULL,
	"account_id" text NOT NULL,
	"subject_id" text NOT NULL,
	"available_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"generation" integer DEFAULT 0 NOT NULL,
	"overdue" boolean DEFAULT false NOT NULL,
	"last_error" text,
	CONSTRAINT "outbox_task" CHECK ("outbox"."task" in ('event', 'delivery', 'wake', 'health', 'replay', 'mail'))
);
--> statement-breakpoint
CREATE INDEX "outbox_available" ON "outbox" USING btree ("account_id","available_at");
--> statement-breakpoint
-- Endpoints that are there already get their health workflows.
INSERT INTO "outbox" ("key", "task", "account_id", "subject_id")
SELECT 'health:' || "id", 'health', "account_id", "id" FROM "endpoints" WHERE "state" <> 'deleted';
--> statement-breakpoint
-- These had nulls last, which no query asks for, so none could read the newest rows from them.
DROP INDEX "deals_activity";
--> statement-breakpoint
DROP INDEX "deliveries_endpoint_log";
--> statement-breakpoint
CREATE INDEX "deals_activity" ON "deals" USING btree ("account_id","last_activity_at");
--> statement-breakpoint
CREATE INDEX "deliveries_endpoint_log" ON "deliveries" USING btree ("endpoint_id","created_at","id");
