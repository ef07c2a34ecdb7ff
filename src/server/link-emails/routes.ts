import { formatCount } from '../../shared/rules/format/numbers.ts'
import type { Deps } from '../deps.ts'
import type { Handlers } from '../http/mount.ts'
import { readOptOutToken } from './opt-out.ts'
import type { OptOutPages } from './opt-out-pages.ts'
import { insertOptOut } from './queries.ts'
import { sendLink } from './send-link.ts'

/** Links by email, and the page that stops them. */
export function linkEmailRoutes(
  deps: Pick<Deps, 'clock' | 'db' | 'mailQueue' | 'secret' | 'settings'>,
  showPage: OptOutPages,
) {
  return {
    sendLink: async ({ params, body, user }) => ({
      message: sentText(await sendLink(deps, user.id, params.code, body)),
    }),

    // Mail scanners open links, so opening the page doesn't change anything.
    openOptOutPage: ({ params }) =>
      showPage(readOptOutToken(deps.secret, params.token) === null ? 'invalid' : 'form'),

    async sendOptOutPage({ params }) {
      const address = readOptOutToken(deps.secret, params.token)
      if (address === null) return showPage('invalid')
      await insertOptOut(deps.db, address, deps.clock())
      return showPage('done')
    },
  } satisfies Partial<Handlers>
}

function sentText(count: number): string {
  if (count === 0) return 'This link was already sent to everybody.'
  return `${formatCount(count, 'email')} ${count === 1 ? 'is' : 'are'} on the way.`
}
