import { offerTheme } from '../static-pages/offer-theme.ts'
import { offerUploads } from '../static-pages/offer-uploads.ts'
import { offerShareTarget } from '../uploads/kept/offer-share-target.ts'

/**
 * Adds to a public page what all of them have: a theme button, the uploads of a signed-in user, and
 * in an installed application the share target. The page is painted and can be read without it.
 */
export function enhancePage(): void {
  offerTheme()
  offerUploads()
  offerShareTarget()
}
