CREATE TABLE "accounts" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"plan" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "accounts_plan" CHECK ("accounts"."plan" in ('free', 'pro', 'elite'))
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"started_at" timestamp (6) with time zone NOT NULL,
	"duration_ms" integer NOT NULL,
	"status_code" integer,
	"error" text,
	"redirect_target" text,
	"response_excerpt" text,
	CONSTRAINT "attempts_delivery_id_number_pk" PRIMARY KEY("delivery_id","number"),
	CONSTRAINT "attempts_number" CHECK ("attempts"."number" >= 1),
	CONSTRAINT "attempts_verdict" CHECK ("attempts"."error" is not null or coalesce("attempts"."status_code" between 200 and 299, false))
);
--> statement-breakpoint
CREATE TABLE "deals" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"parcel_id" text NOT NULL,
	"status" text NOT NULL,
	"sub_state" text,
	"exit_strategy" text DEFAULT 'undecided' NOT NULL,
	"dead_reason" text,
	"note" text,
	"next_action" text,
	"next_action_due" date,
	"offer_date" date,
	"effective_date" date,
	"option_end_date" date,
	"closing_date" date,
	"buyer_name" text,
	"buyer_phone" text,
	"buyer_email" text,
	"title_company" text,
	"source" text DEFAULT 'pipeline' NOT NULL,
	"created_via" text DEFAULT 'manual' NOT NULL,
	"contract_price_cents" bigint,
	"earnest_cents" bigint,
	"est_fee_cents" bigint,
	"actual_fee_cents" bigint,
	"actual_sale_price_cents" bigint,
	"actual_profit_cents" bigint,
	"stage_entered_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"closed_at" timestamp (6) with time zone,
	"last_activity_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "deals_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "deals_status" CHECK ("deals"."status" in ('NEW', 'CONTACTED', 'OFFER_SENT', 'UNDER_CONTRACT', 'CLOSED', 'TERMINATED', 'DEAD')),
	CONSTRAINT "deals_closed_at" CHECK (("deals"."status" = 'CLOSED') = ("deals"."closed_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"event_id" text NOT NULL,
	"endpoint_id" text NOT NULL,
	"state" text NOT NULL,
	"skip_reason" text,
	"attempts_made" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (6) with time zone,
	"expected_at" timestamp (6) with time zone,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"finished_at" timestamp (6) with time zone,
	CONSTRAINT "deliveries_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "deliveries_state" CHECK ("deliveries"."state" in ('pending', 'retrying', 'delivered', 'failed', 'skipped')),
	CONSTRAINT "deliveries_skip_reason" CHECK (("deliveries"."state" = 'skipped') = ("deliveries"."skip_reason" is not null) and ("deliveries"."skip_reason" is null or "deliveries"."skip_reason" in ('endpoint_paused', 'endpoint_deleted', 'unsubscribed', 'cancelled'))),
	CONSTRAINT "deliveries_finished" CHECK (("deliveries"."state" in ('pending', 'retrying')) = ("deliveries"."finished_at" is null) and ("deliveries"."finished_at" is null) = ("deliveries"."expected_at" is not null)),
	CONSTRAINT "deliveries_attempts_made" CHECK ("deliveries"."attempts_made" >= 0)
);
--> statement-breakpoint
CREATE TABLE "endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"url" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"event_types" text[] NOT NULL,
	"state" text DEFAULT 'active' NOT NULL,
	"sealed_secret" "bytea" NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "endpoints_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "endpoints_state" CHECK ("endpoints"."state" in ('active', 'paused', 'deleted')),
	CONSTRAINT "endpoints_event_types" CHECK (cardinality("endpoints"."event_types") > 0)
);
--> statement-breakpoint
CREATE TABLE "event_subjects" (
	"account_id" text NOT NULL,
	"subject" text NOT NULL,
	"last_event_at" timestamp (6) with time zone NOT NULL,
	CONSTRAINT "event_subjects_account_id_subject_pk" PRIMARY KEY("account_id","subject")
);
--> statement-breakpoint
CREATE TABLE "events" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"type" text NOT NULL,
	"subject" text NOT NULL,
	"created_at" timestamp (6) with time zone NOT NULL,
	"body" "bytea" NOT NULL,
	CONSTRAINT "events_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "events_subject_order" UNIQUE("account_id","subject","created_at")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"event_id" text PRIMARY KEY NOT NULL,
	"available_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"overdue" boolean DEFAULT false NOT NULL,
	"last_error" text
);
--> statement-breakpoint
CREATE TABLE "parcels" (
	"id" text PRIMARY KEY NOT NULL,
	"county" text NOT NULL,
	"account_num" text NOT NULL,
	"address" text NOT NULL,
	"city" text NOT NULL,
	"zip" text NOT NULL,
	CONSTRAINT "parcels_county_account_num" UNIQUE("county","account_num"),
	CONSTRAINT "parcels_id" CHECK ("parcels"."id" = "parcels"."county" || ':' || "parcels"."account_num")
);
--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_delivery" FOREIGN KEY ("account_id","delivery_id") REFERENCES "public"."deliveries"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deals" ADD CONSTRAINT "deals_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deals" ADD CONSTRAINT "deals_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_event" FOREIGN KEY ("account_id","event_id") REFERENCES "public"."events"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "deliveries" ADD CONSTRAINT "deliveries_endpoint" FOREIGN KEY ("account_id","endpoint_id") REFERENCES "public"."endpoints"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_subjects" ADD CONSTRAINT "event_subjects_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "events" ADD CONSTRAINT "events_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "outbox" ADD CONSTRAINT "outbox_event_id_events_id_fk" FOREIGN KEY ("event_id") REFERENCES "public"."events"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deals_activity" ON "deals" USING btree ("account_id","last_activity_at" DESC NULLS LAST);--> statement-breakpoint
CREATE UNIQUE INDEX "deliveries_event_endpoint" ON "deliveries" USING btree ("event_id","endpoint_id");--> statement-breakpoint
CREATE INDEX "deliveries_endpoint_log" ON "deliveries" USING btree ("endpoint_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "deliveries_expected" ON "deliveries" USING btree ("expected_at") WHERE "deliveries"."finished_at" is null;--> statement-breakpoint
CREATE INDEX "outbox_available" ON "outbox" USING btree ("available_at");