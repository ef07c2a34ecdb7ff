import { daysText } from '../../shared/rules/limit-text.ts'
import { defaultTier } from '../../shared/rules/tier.ts'
import { selectedDays } from '../../shared/rules/tier-limits.ts'
import { useLimits } from '../api/use-limits.ts'
import { ButtonLink } from '../ui/button.tsx'
import { ExampleLinks } from './example-links.tsx'
import { freeTierText } from './free-tier-text.ts'
import { Page } from './page.tsx'
import { Wrap } from './wrap.tsx'

/** The page at / for a visitor: what the product does, and links to login and signup. */
export function FrontPage() {
  const limits = useLimits()[defaultTier]
  return (
    <Page title="Mayfly">
      <Wrap className="grid flex-1 items-center gap-12 py-14 sm:py-20 lg:grid-cols-[1.05fr_1fr] lg:gap-16">
        <div>
          <h1 className="text-[clamp(34px,8.5vw,40px)] tracking-[-0.035em] lg:text-[52px]">
            Files that leave on time.
          </h1>
          <p className="mt-5 max-w-[46ch] text-lg text-muted">
            Upload a file and send its short link. After {daysText(selectedDays(limits))} the link
            stops working and the file is deleted. Nobody needs an account to download.
          </p>
          <div className="mt-8 flex flex-wrap items-center gap-x-5 gap-y-4">
            <ButtonLink href="/api/login" variant="primary" size="large">
              Get Started
            </ButtonLink>
            <span className="text-muted text-sm">{freeTierText(limits)}.</span>
          </div>
        </div>
        <ExampleLinks />
      </Wrap>
    </Page>
  )
}
