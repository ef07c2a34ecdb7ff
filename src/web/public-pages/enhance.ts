import { offerTheme } from '../built-pages/offer-theme.ts'
import { offerUploads } from '../built-pages/offer-uploads.ts'
import { offerShareTarget } from '../uploads/kept/offer-share-target.ts'

/**
 * Adds the features that all public pages share: the theme button, the uploads of a signed-in user,
 * and in an installed application the share target. People can read the page without them.
 */
export function enhancePage(): void {
  offerTheme()
  offerUploads()
  offerShareTarget()
}
