import { formatCount } from '../../../shared/rules/format/numbers.ts'
import { createGreeting, type EmailContent, limitedBlocks } from '../email.ts'

interface RequestDetails {
  /** Null if the address is unverified, because a stranger may have chosen the name. */
  name: string | null
  /** The request's title. Null if the email may not contain text that users have chosen. */
  title: string | null
  /** The URL of the page that lists the owner's requests. */
  requestsPage: string
}

interface ReceivedDelivery {
  senderName: string | null
  fileCount: number
  /** As formatted text. */
  size: string
}

/** The email to the owner of a request about what it has received. */
export function deliveryEmail({
  name,
  title,
  requestsPage,
  deliveries,
}: RequestDetails & { deliveries: readonly ReceivedDelivery[] }): EmailContent {
  const count = deliveries.length
  const received = count === 1 ? 'received files' : `received ${count} deliveries`
  const subject = `Your request ${received}`
  const preview = 'Only you can see these files until you share them.'
  return {
    subject,
    preview,
    heading: subject,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(name)} your request${titleText(title)} ${received}.`,
      },
      ...(title === null ? [] : limitedBlocks(deliveries, deliveryBlock)),
      { kind: 'paragraph', text: preview },
      {
        kind: 'button',
        label: 'Open your requests',
        href: requestsPage,
        note: 'You can turn these emails off there.',
      },
    ],
  }
}

/** The email to the owner of a request that has received nothing and closes within a day. */
export function requestReminder({
  name,
  title,
  requestsPage,
  closesAt,
}: RequestDetails & { closesAt: string }): EmailContent {
  const subject = 'Your request closes within a day'
  const preview = 'Nothing has arrived yet.'
  return {
    subject,
    preview,
    heading: subject,
    blocks: [
      {
        kind: 'paragraph',
        text: `${createGreeting(name)} your request${titleText(title)} closes on ${closesAt}. Nothing has arrived yet.`,
      },
      { kind: 'paragraph', text: 'You can keep it open for longer, or send its link again.' },
      {
        kind: 'button',
        label: 'Open your requests',
        href: requestsPage,
        note: 'You can turn these emails off there.',
      },
    ],
  }
}

function titleText(title: string | null): string {
  return title === null ? '' : ` “${title}”`
}

function deliveryBlock({ senderName, fileCount, size }: ReceivedDelivery) {
  const text = `${formatCount(fileCount, 'file')}, ${size}`
  return { kind: 'paragraph' as const, strong: senderName ?? 'No name', text }
}
