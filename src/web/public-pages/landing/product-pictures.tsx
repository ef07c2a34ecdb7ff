import type { ReactNode } from 'react'
import type { Theme } from '../../../shared/rules/accounts/accent.ts'
import { values } from '../values.tsx'
import dashboardDark from './pictures/dashboard-dark.avif'
import dashboardLight from './pictures/dashboard-light.avif'
import dashboardPhoneDark from './pictures/dashboard-phone-dark.avif'
import dashboardPhoneLight from './pictures/dashboard-phone-light.avif'
import downloadDark from './pictures/download-dark.avif'
import downloadLight from './pictures/download-light.avif'
import downloadPhoneDark from './pictures/download-phone-dark.avif'
import downloadPhoneLight from './pictures/download-phone-light.avif'

interface Picture {
  urls: Readonly<Record<Theme, string>>
  width: number
  height: number
}

/** Shows the dashboard and a download page, as `npm run pictures` has taken them. */
export function ProductPictures() {
  return (
    <>
      <section className="band" aria-labelledby="send">
        <h2 id="send">Drop files, copy the link</h2>
        <p className="muted">
          The dashboard shows how long each link works, and how often it was downloaded.
        </p>
        <ThemedPicture
          alt="The dashboard: a drop zone, and under it three links with their size, time left, downloads and a Copy button"
          wide={{
            urls: { light: dashboardLight, dark: dashboardDark },
            width: 1120,
            height: 840,
          }}
          phone={{
            urls: { light: dashboardPhoneLight, dark: dashboardPhoneDark },
            width: 360,
            height: 620,
          }}
        />
      </section>
      <section className="band receive" aria-labelledby="receive">
        <div>
          <h2 id="receive">One button to download</h2>
          <p className="muted">
            Recipients see the name, the size and the time left. The bar is {values.maxLifetime}{' '}
            long, as long as a file can exist.
          </p>
          <ol>
            <Phase title="The link works">
              For {values.premiumDays}, as you choose. With Free, for {values.freeDays}; then the
              file is deleted.
            </Phase>
            <Phase title="The file can be renewed">
              With Premium, the expired file is private until you renew it. Then it gets a new link.
            </Phase>
            <Phase title={`Day ${values.maxLifetimeDays}: the file is deleted`}>
              Even if it was renewed. A receipt shows when the deletion was due and when it was
              done.
            </Phase>
          </ol>
        </div>
        <ThemedPicture
          alt="A download page: a video of 812 MB, 4 days left, and the button Download File"
          wide={{ urls: { light: downloadLight, dark: downloadDark }, width: 560, height: 460 }}
          phone={{
            urls: { light: downloadPhoneLight, dark: downloadPhoneDark },
            width: 360,
            height: 480,
          }}
        />
      </section>
    </>
  )
}

/**
 * Shows the picture of the current theme. Browsers don't load the other one, because a lazy image
 * that isn't displayed is never near the viewport.
 */
function ThemedPicture({ alt, wide, phone }: { alt: string; wide: Picture; phone: Picture }) {
  return (['light', 'dark'] as const).map((theme) => (
    <picture key={theme} className={theme}>
      <source
        media="(max-width: 719px)"
        srcSet={phone.urls[theme]}
        width={phone.width}
        height={phone.height}
      />
      <img
        className="card"
        src={wide.urls[theme]}
        width={wide.width}
        height={wide.height}
        alt={alt}
        loading="lazy"
      />
    </picture>
  ))
}

function Phase({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <h3>{title}</h3>
      <p className="muted">{children}</p>
    </li>
  )
}
