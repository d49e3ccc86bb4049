import { MAILING_TOWNS, STREET_WORDS } from './places.ts';
import type { SeededRandom } from './seeded-random.ts';

const words = (text: string) => text.trim().split(/\s+/);

const FIRST_NAMES = words(`
  Aaron Adriana Alan Alice Amanda Amir Andre Angela Anita Anthony Barbara Beatriz Benjamin Betty
  Brenda Brian Carlos Carol Catherine Charles Cheryl Christina Clara Curtis Cynthia Daniel Darnell
  David Deborah Denise Diane Donald Donna Dorothy Edward Elena Emily Eric Ernesto Esther Eugene
  Fatima Felix Frances Frank Gary George Gloria Grace Gregory Guadalupe Harold Hector Helen Henry
  Hien Irene Isaac Jack Jacqueline James Janet Jasmine Javier Jean Jeffrey Jennifer Jesse Joan
  John Jorge Jose Joyce Juan Judith Julia Karen Keith Kenneth Kim Larry Laura Lawrence Leon Linda
  Lisa Lorenzo Louis Lucille Luis Manuel Margaret Maria Marilyn Mark Martha Martin Mary Maurice
  Melissa Michael Miguel Mildred Minh Monica Nancy Nathan Nina Norma Oscar Pamela Patricia Patrick
  Paul Pedro Peter Philip Priya Rachel Ralph Ramon Raymond Rebecca Ricardo Richard Robert Roger
  Rosa Rose Roy Ruby Russell Ruth Samuel Sandra Sara Sergio Shirley Sofia Stephen Steven Susan
  Sylvia Teresa Terry Theresa Thomas Thuy Timothy Tyrone Victor Vincent Virginia Walter Wanda
  Wayne William Yolanda`);

const LAST_NAMES = words(`
  Adams Aguilar Alexander Allen Alvarez Anderson Bailey Baker Barnes Bell Bennett Brooks Brown
  Bryant Butler Campbell Carter Castillo Castro Chavez Chen Clark Coleman Collins Cook Cooper Cox
  Cruz Davis Delgado Diaz Edwards Ellis Evans Fisher Flores Ford Foster Freeman Garcia Gibson
  Gomez Gonzalez Graham Grant Gray Green Griffin Gutierrez Hall Hamilton Harris Harrison Hayes
  Henderson Hernandez Hicks Hill Holmes Howard Hughes Hunt Jackson James Jenkins Jimenez Johnson
  Jones Jordan Kelly Kennedy Khan Kim King Le Lee Lewis Long Lopez Marshall Martin Martinez Mason
  McDonald Medina Mendoza Meyer Miller Mitchell Moore Morales Moreno Morgan Morris Murphy Murray
  Myers Nelson Nguyen Ortega Ortiz Owens Palmer Parker Patel Patterson Perez Perry Peterson
  Phillips Pham Porter Powell Price Ramirez Ramos Reed Reyes Reynolds Richardson Rivera Roberts
  Robinson Rodriguez Rogers Romero Ross Ruiz Russell Salazar Sanchez Sanders Scott Shaw Simmons
  Simpson Singh Smith Soto Stevens Stewart Sullivan Taylor Thomas Thompson Torres Tran Tucker
  Turner Vargas Vasquez Walker Wallace Ward Washington Watson Webb Wells West White Williams
  Wilson Wood Woods Wright Young`);

const BUSINESS_WORDS = ['Holdings', 'Homes', 'Properties', 'Rentals', 'Realty', 'Investments'];

/** Who owns a parcel: people, or something that is no person and has no age. */
export type OwnerKind = 'person' | 'couple' | 'trust' | 'company' | 'estate';

/** The name of an owner of this kind. */
export function ownerName(random: SeededRandom, kind: OwnerKind): string {
  const [first, last] = [random.pick(FIRST_NAMES), random.pick(LAST_NAMES)];
  switch (kind) {
    case 'person':
      return `${first} ${last}`;
    case 'couple':
      return `${first} and ${random.pick(FIRST_NAMES)} ${last}`;
    case 'trust':
      return `${last} Family Trust`;
    case 'company': {
      const name = `${random.pick(STREET_WORDS.first)} ${random.pick(STREET_WORDS.second)}`;
      return `${name} ${random.pick(BUSINESS_WORDS)} LLC`;
    }
    case 'estate':
      return `Estate of ${first} ${last}`;
  }
}

/** A mailing address elsewhere, and the state it is in. */
export function mailingElsewhere(
  random: SeededRandom,
  outOfState: boolean,
): { mailing_address: string; mailing_state: string } {
  const town = random.pick(outOfState ? MAILING_TOWNS.outOfState : MAILING_TOWNS.inState);
  const street = random.chance(0.2)
    ? `PO Box ${random.between(100, 9_999)}`
    : `${random.between(100, 9_900)} ${random.pick(STREET_WORDS.first)} ${random.pick(STREET_WORDS.suffix)}`;
  const unit = random.chance(0.15) ? ` Apt ${random.between(1, 40)}` : '';
  const line = street.startsWith('PO') ? street : street + unit;
  return { mailing_address: `${line}, ${town}`, mailing_state: town.slice(-8, -6) };
}
