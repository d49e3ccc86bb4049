import { z } from 'zod';
import { fixtureField } from './shapes/common.ts';

/** One event type: its name, when it is sent, the shape of its `data`, and a sample of that. */
export interface EventDefinition<Type extends string, Shape extends z.ZodRawShape> {
  type: Type;
  description: string;
  data: z.ZodObject<Shape & typeof fixtureField, z.core.$strict>;
  sample: z.input<z.ZodObject<Shape, z.core.$strict>>;
}

/** Defines an event type; its sample is typed by its own shape. */
export function defineEvent<Type extends string, Shape extends z.ZodRawShape>(definition: {
  type: Type;
  description: string;
  fields: Shape;
  sample: z.input<z.ZodObject<Shape, z.core.$strict>>;
}): EventDefinition<Type, Shape> {
  const { type, description, fields, sample } = definition;
  return { type, description, data: z.strictObject({ ...fields, ...fixtureField }), sample };
}
