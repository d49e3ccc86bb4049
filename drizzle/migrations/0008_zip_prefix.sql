DROP INDEX "parcels_zip_score";--> statement-breakpoint
CREATE INDEX "parcels_zip5_score" ON "parcels" USING btree (left("zip", 5),"score","id");