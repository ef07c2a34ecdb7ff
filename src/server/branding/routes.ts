import { z } from 'zod'
import { tierErrorText } from '../../shared/contract/tier-errors.ts'
import { tierTraits } from '../../shared/rules/tiers/tier.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { bodyBytes, type Handlers } from '../http/mount.ts'
import { counter } from '../http/rate-limit.ts'
import type { SessionUser } from '../http/session.ts'
import { createLogoConverter } from './convert-logo.ts'
import { findBrand, findLogo, removeBrand, removeLogo, toBrand, writeBrand } from './queries.ts'

const logoKey = z.hex().length(32)

/**
 * The response headers for a logo. Logos can be cached forever, because their URLs contain a hash
 * of the bytes. The CSP is defense in depth in case a logo is opened as a page: the server encodes
 * the PNG itself, so it should be harmless anyway.
 */
const logoHeaders = {
  'content-type': 'image/png',
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'x-content-type-options': 'nosniff',
}

/** The endpoints that let users set their brand and visitors load logos. */
export function brandingRoutes(deps: Pick<Deps, 'clock' | 'db' | 'rateLimits'>) {
  const { clock, db, rateLimits } = deps
  const convertLogo = createLogoConverter()
  return {
    async getBranding({ user, publicOrigin }) {
      requireBranding(user)
      const row = await findBrand(db, user.id)
      return row ? toBrand(row, publicOrigin) : null
    },

    async saveBranding({ user, body, publicOrigin }) {
      requireBranding(user)
      const row = await writeBrand(db, { ownerId: user.id, ...body }, clock())
      return toBrand(row, publicOrigin)
    },

    async removeBranding({ user }) {
      requireBranding(user)
      await removeBrand(db, user.id)
      return { message: 'Branding removed.' }
    },

    async saveLogo({ user, publicOrigin, context }) {
      requireBranding(user)
      await rateLimits.spend([counter('logosByUser', user.id)])
      const { png, key, width, height } = await convertLogo(bodyBytes(context))
      const logo = { logo: png, logoKey: key, logoWidth: width, logoHeight: height }
      const row = await writeBrand(db, { ownerId: user.id, ...logo }, clock())
      return toBrand(row, publicOrigin)
    },

    async removeLogo({ user, publicOrigin }) {
      requireBranding(user)
      const row = await removeLogo(db, user.id, clock())
      return row ? toBrand(row, publicOrigin) : null
    },

    async logo({ params, context }) {
      const isValidKey = logoKey.safeParse(params.key).success
      const png = isValidKey ? await findLogo(db, params.key, clock()) : null
      if (!png) throw new AppError('NOT_FOUND')
      return context.body(new Uint8Array(png), 200, logoHeaders)
    },
  } satisfies Partial<Handlers>
}

/**
 * Rejects a user whose current tier doesn't include custom branding (spec §7).
 * @throws {AppError} TIER_BRANDING
 */
function requireBranding({ tier }: SessionUser): void {
  if (tierTraits[tier].branding) return
  throw new AppError('TIER_BRANDING', { message: tierErrorText(tier, 'TIER_BRANDING') })
}
