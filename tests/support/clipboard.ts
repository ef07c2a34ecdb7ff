/** The clipboard of a page in happy-dom. */
export interface TestClipboard {
  /** The texts that the page has copied. */
  copied: string[]
  /** Set to true, and the browser refuses to copy. */
  refuses: boolean
  /** Gives the page its own clipboard back. */
  close(): void
}

/** Puts a clipboard in place of the page's, which happy-dom leaves incomplete. */
export function openClipboard(): TestClipboard {
  const clipboard: TestClipboard = {
    copied: [],
    refuses: false,
    close() {
      Reflect.deleteProperty(navigator, 'clipboard')
      Reflect.deleteProperty(document, 'execCommand')
    },
  }
  const writeText = async (text: string) => {
    if (clipboard.refuses) throw new DOMException('refused', 'NotAllowedError')
    clipboard.copied.push(text)
  }
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } })
  // Pages try this older way to copy when the clipboard refuses. Here it fails too.
  Object.assign(document, { execCommand: () => false })
  return clipboard
}
