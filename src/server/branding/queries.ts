import { and, eq, inArray } from 'drizzle-orm'
import type { Brand } from '../../shared/contract/branding.ts'
import { endpoints } from '../../shared/contract/index.ts'
import { tiers, tierTraits } from '../../shared/rules/tiers/tier.ts'
import { branding, users } from '../db/schema.ts'
import type { Db } from '../deps.ts'
import { tierAt } from '../tiers/queries.ts'

const tiersWithBranding = tiers.filter((tier) => tierTraits[tier].branding)

/**
 * All columns of a brand except the logo's bytes. A brand replaces our name and colors on its
 * owner's download pages.
 */
export const brandColumns = {
  name: branding.name,
  accent: branding.accent,
  message: branding.message,
  logoKey: branding.logoKey,
  logoWidth: branding.logoWidth,
  logoHeight: branding.logoHeight,
}

export type BrandRow = Pick<typeof branding.$inferSelect, keyof typeof brandColumns>

/** Returns the user's brand, or undefined if there is none. */
export async function findBrand(db: Db, ownerId: string): Promise<BrandRow | undefined> {
  const [row] = await db.select(brandColumns).from(branding).where(eq(branding.ownerId, ownerId))
  return row
}

/** Creates or updates the user's brand. */
export async function writeBrand(
  db: Db,
  values: Omit<typeof branding.$inferInsert, 'updatedAt'>,
  now: Date,
): Promise<BrandRow> {
  const { ownerId, ...changes } = values
  const [row] = await db
    .insert(branding)
    .values({ ...values, updatedAt: now })
    .onConflictDoUpdate({ target: branding.ownerId, set: { ...changes, updatedAt: now } })
    .returning(brandColumns)
  if (!row) throw new Error('Expected the row that was written.')
  return row
}

/**
 * Removes the logo from the user's brand. Returns the updated brand, or undefined if there is none.
 */
export async function removeLogo(
  db: Db,
  ownerId: string,
  now: Date,
): Promise<BrandRow | undefined> {
  const [row] = await db
    .update(branding)
    .set({ logo: null, logoKey: null, logoWidth: null, logoHeight: null, updatedAt: now })
    .where(eq(branding.ownerId, ownerId))
    .returning(brandColumns)
  return row
}

/** Deletes the user's brand, including its logo. */
export async function removeBrand(db: Db, ownerId: string): Promise<void> {
  await db.delete(branding).where(eq(branding.ownerId, ownerId))
}

/**
 * Returns the logo with this key. Returns null unless an account that uses the logo is allowed to
 * show a brand at `now`.
 */
export async function findLogo(db: Db, key: string, now: Date): Promise<Buffer | null> {
  const [row] = await db
    .select({ logo: branding.logo })
    .from(branding)
    .innerJoin(users, eq(users.id, branding.ownerId))
    .where(and(eq(branding.logoKey, key), inArray(tierAt(now), tiersWithBranding)))
    .limit(1)
  return row?.logo ?? null
}

/** Converts a brand to its API representation. The logo's URL starts with `origin`. */
export function toBrand({ name, accent, message, logoKey }: BrandRow, origin: string): Brand {
  const logoUrl = logoKey === null ? null : `${origin}${logoPath(logoKey)}`
  return { name, accent, message, logoUrl }
}

/** Returns the URL path of a logo. */
export function logoPath(key: string): string {
  return endpoints.logo.path.replace('{key}', key)
}
