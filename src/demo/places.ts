import type { LngLat } from '../../drizzle/columns.ts';

/** A made-up town. */
export interface DemoCity {
  name: string;
  zips: readonly string[];
  center: LngLat;
  /** It reaches so many degrees to each side of its center. */
  reach: number;
  /** About how many parcels it has. */
  parcels: number;
}

/** Two made-up counties of Texas; nothing here is a real place. */
export const DEMO_COUNTIES: Readonly<Record<'maple' | 'cedar', readonly DemoCity[]>> = {
  maple: [
    city('Millbrook', ['75010', '75011'], -96.91, 33.12, 0.045, 5_200),
    city('Fairhaven', ['75022'], -97.06, 33.05, 0.035, 3_600),
    city('Larkspur', ['75028', '75029'], -97.03, 33.2, 0.03, 2_700),
    city('Quarry Bend', ['75036'], -96.86, 33.24, 0.02, 700),
  ],
  cedar: [
    city('Ridgemont', ['75150', '75151'], -96.55, 32.78, 0.04, 4_200),
    city('Oak Landing', ['75159'], -96.42, 32.7, 0.03, 2_300),
    city('Stone Ferry', ['75169'], -96.36, 32.86, 0.025, 1_300),
  ],
};

function city(
  name: string,
  zips: readonly string[],
  lng: number,
  lat: number,
  reach: number,
  parcels: number,
): DemoCity {
  return { name, zips, center: { lng, lat }, reach, parcels };
}

const list = (text: string) => text.trim().split(/\s+/);

/** Street names are put together of a first word, perhaps a second, and a suffix. */
export const STREET_WORDS = {
  first: list(`
    Alder Almond Amber Antler Aspen Aster Autumn Bayberry Beacon Beech Bell Birch Blue Bluebonnet
    Briar Bright Brook Buckeye Canyon Cardinal Carriage Cedar Chapel Cherry Chestnut Clear Clover
    Copper Cottonwood Coyote Crane Cypress Deer Dogwood Dove Eagle Elm Falcon Fern Fox Garnet
    Golden Granite Hackberry Harvest Hawk Hazel Heron Hickory Holly Indigo Iron Ivy Jasmine
    Juniper Lark Laurel Lavender Live Locust Lone Magnolia Maple Meadow Mesa Mesquite Mill Mimosa
    Mockingbird Mossy Mulberry Myrtle North Oak Orchard Owl Pecan Peach Pebble Persimmon Pine
    Plum Poplar Prairie Quail Quiet Red Redbud River Robin Rocky Rose Sage Sandstone Shady Silver
    Spring Spruce Stone Sumac Summer Sunset Sweet Sycamore Teal Thistle Timber Trinity Violet
    Walnut Water Wheat White Wild Willow Wind Winter Wren Yaupon`),
  second: list(`
    Bend Bluff Branch Creek Crest Field Glen Grove Hill Hollow Lake Meadow Mill Park Point Ridge
    Run Shadow Spring Trace Valley View Wood`),
  suffix: list(`
    St St St Dr Dr Dr Ln Ln Ln Ct Ct Ave Ave Rd Rd Cir Blvd Way Pl Trl Ter Cv Pkwy`),
} as const;

/** Where owners who live elsewhere get their mail: real towns, in Texas and in other states. */
export const MAILING_TOWNS = {
  inState: [
    ...['Dallas, TX 75201', 'Plano, TX 75074', 'Fort Worth, TX 76107', 'Austin, TX 78704'],
    ...['Houston, TX 77007', 'San Antonio, TX 78209', 'Waco, TX 76710', 'Tyler, TX 75701'],
    ...['Lubbock, TX 79401', 'Frisco, TX 75034', 'Arlington, TX 76013', 'El Paso, TX 79912'],
  ],
  outOfState: [
    ...['Los Angeles, CA 90036', 'San Jose, CA 95112', 'Denver, CO 80206', 'Phoenix, AZ 85016'],
    ...['Tulsa, OK 74105', 'Shreveport, LA 71106', 'Chicago, IL 60614', 'Atlanta, GA 30306'],
    ...['Orlando, FL 32803', 'Seattle, WA 98103', 'Brooklyn, NY 11215', 'Las Vegas, NV 89117'],
    ...['Portland, OR 97206', 'Nashville, TN 37206', 'Albuquerque, NM 87106', 'Omaha, NE 68104'],
  ],
} as const;
