CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"hint" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"last_used_at" timestamp (6) with time zone,
	"revoked_at" timestamp (6) with time zone,
	"recent" timestamp (6) with time zone[] DEFAULT '{}' NOT NULL,
	CONSTRAINT "api_keys_tenant" UNIQUE("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "campaigns" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"list_id" text NOT NULL,
	"state" text DEFAULT 'draft' NOT NULL,
	"mailed_at" timestamp (6) with time zone,
	"est_delivery_date" date,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "campaigns_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "campaigns_state" CHECK ("campaigns"."state" in ('draft', 'production', 'mailed', 'delivered_est'))
);
--> statement-breakpoint
CREATE TABLE "farms" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"area" "polygon" NOT NULL,
	"alerts_enabled" boolean DEFAULT true NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "farms_tenant" UNIQUE("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "held_leads" (
	"account_id" text NOT NULL,
	"parcel_id" text NOT NULL,
	"via" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "held_leads_account_id_parcel_id_via_pk" PRIMARY KEY("account_id","parcel_id","via"),
	CONSTRAINT "held_leads_via" CHECK ("held_leads"."via" in ('purchased', 'saved'))
);
--> statement-breakpoint
CREATE TABLE "list_leads" (
	"account_id" text NOT NULL,
	"list_id" text NOT NULL,
	"parcel_id" text NOT NULL,
	"added_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "list_leads_list_id_parcel_id_pk" PRIMARY KEY("list_id","parcel_id")
);
--> statement-breakpoint
CREATE TABLE "lists" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "lists_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "lists_status" CHECK ("lists"."status" in ('active', 'archived'))
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"batch_id" text NOT NULL,
	"list_id" text DEFAULT '' NOT NULL,
	"list_name" text DEFAULT '' NOT NULL,
	"service" text NOT NULL,
	"status" text NOT NULL,
	"price_cents" integer NOT NULL,
	"parcel_id" text NOT NULL,
	"campaign_id" text,
	"postcard_state" text,
	"vendor_status" text,
	"mailed_at" timestamp (6) with time zone,
	"contacts" jsonb,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"fulfilled_at" timestamp (6) with time zone,
	CONSTRAINT "orders_tenant" UNIQUE("account_id","id"),
	CONSTRAINT "orders_state" CHECK ("orders"."service" in ('SKIP_TRACE', 'POSTCARD') and "orders"."status" in ('QUEUED', 'PAID', 'FULFILLED', 'CANCELLED') and ("orders"."status" = 'FULFILLED') = ("orders"."fulfilled_at" is not null)),
	CONSTRAINT "orders_postcard" CHECK (("orders"."service" = 'POSTCARD') = ("orders"."postcard_state" is not null) and ("orders"."postcard_state" is null or "orders"."postcard_state" in ('draft', 'production', 'mailed', 'delivered_est')))
);
--> statement-breakpoint
CREATE TABLE "searches" (
	"id" text PRIMARY KEY NOT NULL,
	"account_id" text NOT NULL,
	"name" text NOT NULL,
	"criteria" jsonb NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "searches_tenant" UNIQUE("account_id","id")
);
--> statement-breakpoint
CREATE TABLE "watched_counties" (
	"account_id" text NOT NULL,
	"county" text NOT NULL,
	"created_at" timestamp (6) with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "watched_counties_account_id_county_pk" PRIMARY KEY("account_id","county")
);
--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "state" text DEFAULT 'TX' NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "house_number" text;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "street_key" text;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "location" "point";--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "owner_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "mailing_address" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "mailing_state" text;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "owner_occupied" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "owned_since" date;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "free_and_clear" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "owner_birth_year" integer;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "vacant" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "probate_filed_on" date;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "foreclosure_notice_on" date;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "tax_delinquent_years" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "open_code_violations" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "score" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "lead_types" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "parcels" ADD COLUMN "scored_on" date DEFAULT current_date NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "campaigns" ADD CONSTRAINT "campaigns_list" FOREIGN KEY ("account_id","list_id") REFERENCES "public"."lists"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "farms" ADD CONSTRAINT "farms_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "held_leads" ADD CONSTRAINT "held_leads_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "held_leads" ADD CONSTRAINT "held_leads_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "list_leads" ADD CONSTRAINT "list_leads_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "list_leads" ADD CONSTRAINT "list_leads_list" FOREIGN KEY ("account_id","list_id") REFERENCES "public"."lists"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lists" ADD CONSTRAINT "lists_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_parcel_id_parcels_id_fk" FOREIGN KEY ("parcel_id") REFERENCES "public"."parcels"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_campaign" FOREIGN KEY ("account_id","campaign_id") REFERENCES "public"."campaigns"("account_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "searches" ADD CONSTRAINT "searches_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "watched_counties" ADD CONSTRAINT "watched_counties_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "held_leads_parcel" ON "held_leads" USING btree ("parcel_id");--> statement-breakpoint
CREATE INDEX "list_leads_parcel" ON "list_leads" USING btree ("parcel_id");--> statement-breakpoint
CREATE INDEX "orders_newest" ON "orders" USING btree ("account_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_contacts" ON "orders" USING btree ("account_id","parcel_id","fulfilled_at") WHERE "orders"."contacts" is not null;--> statement-breakpoint
CREATE INDEX "watched_counties_county" ON "watched_counties" USING btree ("county");--> statement-breakpoint
CREATE INDEX "parcels_address" ON "parcels" USING btree ("house_number","street_key");--> statement-breakpoint
CREATE INDEX "parcels_location" ON "parcels" USING gist ("location");--> statement-breakpoint
CREATE INDEX "parcels_county_score" ON "parcels" USING btree ("county","score","id");--> statement-breakpoint
CREATE INDEX "parcels_zip_score" ON "parcels" USING btree ("zip","score","id");--> statement-breakpoint
ALTER TABLE "parcels" ADD CONSTRAINT "parcels_score" CHECK ("parcels"."score" between 0 and 100);
--> statement-breakpoint
-- Every request rewrites its key's row; with room on the page that touches no index.
ALTER TABLE "api_keys" SET (fillfactor = 70);
