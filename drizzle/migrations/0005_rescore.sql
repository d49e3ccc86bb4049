CREATE TABLE "rescore_counts" (
	"run_id" text NOT NULL,
	"account_id" text NOT NULL,
	"entered_hot_total" integer DEFAULT 0 NOT NULL,
	"entered_hot_sent" integer DEFAULT 0 NOT NULL,
	"score_updated_total" integer DEFAULT 0 NOT NULL,
	"score_updated_sent" integer DEFAULT 0 NOT NULL,
	"held_by_cap" integer DEFAULT 0 NOT NULL,
	"held_by_backlog" integer DEFAULT 0 NOT NULL,
	"summarised_at" timestamp (6) with time zone,
	CONSTRAINT "rescore_counts_run_id_account_id_pk" PRIMARY KEY("run_id","account_id"),
	CONSTRAINT "rescore_counts_exact" CHECK ("rescore_counts"."entered_hot_total" + "rescore_counts"."score_updated_total" = "rescore_counts"."entered_hot_sent" + "rescore_counts"."score_updated_sent" + "rescore_counts"."held_by_cap" + "rescore_counts"."held_by_backlog" and "rescore_counts"."entered_hot_sent" <= "rescore_counts"."entered_hot_total" and "rescore_counts"."score_updated_sent" <= "rescore_counts"."score_updated_total")
);
--> statement-breakpoint
CREATE TABLE "rescore_runs" (
	"id" text PRIMARY KEY NOT NULL,
	"trigger" text NOT NULL,
	"request_key" text,
	"state" text DEFAULT 'running' NOT NULL,
	"day" date NOT NULL,
	"parcels_expected" integer NOT NULL,
	"cursor" text,
	"parcels" integer DEFAULT 0 NOT NULL,
	"changed" integer DEFAULT 0 NOT NULL,
	"events" integer DEFAULT 0 NOT NULL,
	"held_back" integer DEFAULT 0 NOT NULL,
	"summaries" integer DEFAULT 0 NOT NULL,
	"started_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"progressed_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"scored_at" timestamp (6) with time zone,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "rescore_runs_trigger" CHECK ("rescore_runs"."trigger" in ('schedule', 'request')),
	CONSTRAINT "rescore_runs_state" CHECK ("rescore_runs"."state" in ('running', 'finished') and ("rescore_runs"."state" = 'running') = ("rescore_runs"."finished_at" is null) and ("rescore_runs"."finished_at" is null or "rescore_runs"."scored_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "rescore_source_counts" (
	"run_id" text NOT NULL,
	"account_id" text NOT NULL,
	"kind" text NOT NULL,
	"source_id" text NOT NULL,
	"name" text NOT NULL,
	"entered_hot" integer NOT NULL,
	CONSTRAINT "rescore_source_counts_run_id_account_id_kind_source_id_pk" PRIMARY KEY("run_id","account_id","kind","source_id"),
	CONSTRAINT "rescore_source_counts_kind" CHECK ("rescore_source_counts"."kind" in ('list', 'farm', 'county'))
);
--> statement-breakpoint
ALTER TABLE "outbox" DROP CONSTRAINT "outbox_task";--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "announced_score" integer;--> statement-breakpoint
UPDATE "parcels" SET "announced_score" = "score";--> statement-breakpoint
ALTER TABLE "parcels" ALTER COLUMN "announced_score" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "rescore_counts" ADD CONSTRAINT "rescore_counts_run_id_rescore_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."rescore_runs"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rescore_counts" ADD CONSTRAINT "rescore_counts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "rescore_source_counts" ADD CONSTRAINT "rescore_source_counts_account" FOREIGN KEY ("run_id","account_id") REFERENCES "public"."rescore_counts"("run_id","account_id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "rescore_runs_one_running" ON "rescore_runs" USING btree ("state") WHERE "rescore_runs"."state" = 'running';--> statement-breakpoint
CREATE UNIQUE INDEX "rescore_runs_request" ON "rescore_runs" USING btree ("request_key");--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_task" CHECK ("outbox"."task" in ('event', 'delivery', 'wake', 'health', 'replay', 'mail', 'skip_trace', 'postcards', 'rescore'));