import { accountScreens } from './account-screens.ts'
import { adminScreens } from './admin-screens.ts'
import { dashboardScreens } from './dashboard-screens.ts'
import { downloadScreens } from './download-screens.ts'
import { fileScreens, linkScreens } from './file-screens.ts'
import type { Screens } from './open-screens.ts'
import { publicScreens } from './public-screens.ts'
import { requestScreens } from './request-screens.ts'
import { signInScreens } from './sign-in-screens.ts'
import { waitingScreens } from './waiting-screens.ts'

/**
 * Every screen of the product, in sets. To save time, the screens in a set share a server, a page
 * and often an account.
 */
export const screenSets: Readonly<Record<string, Screens>> = {
  'public pages': publicScreens,
  'signing in and up': signInScreens,
  'a file that waits': waitingScreens,
  account: accountScreens,
  dashboard: dashboardScreens,
  'lists of files': fileScreens,
  'a link in a list': linkScreens,
  'pages of links': downloadScreens,
  requests: requestScreens,
  'Admin Center': adminScreens,
}
