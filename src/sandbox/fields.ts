import { badRequest } from './refusal.ts';

/** The fields of a JSON object. The functions below throw a refusal that names the field if its value is invalid. */
export type Fields = Readonly<Record<string, unknown>>;

export function optionalString(fields: Fields, name: string): string | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string') throw badRequest(name, `${name} must be a string`);
  return value;
}

export function requiredString(fields: Fields, name: string): string {
  const value = optionalString(fields, name);
  if (value === undefined) throw badRequest(name, `${name} is required`);
  return value;
}

export function optionalBoolean(fields: Fields, name: string): boolean | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw badRequest(name, `${name} must be true or false`);
  return value;
}

export function optionalInteger(fields: Fields, name: string, low: number, high: number): number | undefined {
  const value = fields[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < low || value > high) {
    throw badRequest(name, `${name} must be an integer from ${low} to ${high}`);
  }
  return value;
}

export function requiredInteger(fields: Fields, name: string, low: number, high: number): number {
  const value = optionalInteger(fields, name, low, high);
  if (value === undefined) throw badRequest(name, `${name} is required`);
  return value;
}
