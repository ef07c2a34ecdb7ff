import {
  createBrowserKeptFiles,
  type KeptFile,
  type KeptFiles,
} from '../../uploads/kept/kept-files.ts'
import { type Drop, dropError } from '../../uploads/picking/dropped-files.ts'
import { chooseFile } from '../../uploads/picking/file-picker.ts'
import { followPageDrop } from '../../uploads/picking/page-drop.ts'
import {
  filesWithSize,
  notKeptText,
  type PageAfterDrop,
  pageAfterDrop,
  tooLargeText,
} from './drop-texts.ts'

/** The elements of the drop zone that the script changes. The build has rendered them. */
interface DropZone {
  zone: HTMLElement
  title: HTMLElement
  text: HTMLElement
  choose: HTMLElement
  remove: HTMLElement
  goOn: HTMLElement
}

function findZone(): DropZone | null {
  const find = (id: string) => document.getElementById(id)
  const [zone, title, text] = [find('drop'), find('drop-title'), find('drop-text')]
  const [choose, remove, goOn] = [find('choose'), find('remove'), find('go-on')]
  if (!zone || !title || !text || !choose || !remove || !goOn) return null
  return { zone, title, text, choose, remove, goOn }
}

/**
 * Makes the drop zone of the landing page work. When somebody drops or chooses files, this browser
 * keeps them and opens the page to which the link `go-on` leads. If a file cannot be kept, the
 * landing page stays open and says why. It also shows files that are already waiting.
 */
export function offerDrop(): void {
  const parts = findZone()
  if (parts === null) return
  const kept = createBrowserKeptFiles()
  const { zone, title, text, choose, remove, goOn } = parts
  const first = { title: [...title.childNodes], text: text.textContent }
  const next = pageAfterDrop(goOn.getAttribute('href'))
  const getStarted = document.querySelector('.go .primary')
  let isBusy = false

  const show = (waiting: readonly KeptFile[], fault = '') => {
    const waits = waiting.length > 0
    if (waits)
      title.textContent = `${filesWithSize(waiting.map(({ file }) => file))} ${waiting.length === 1 ? 'is' : 'are'} waiting`
    else title.replaceChildren(...first.title)
    text.textContent = fault || first.text
    remove.hidden = !waits
    goOn.hidden = !waits && fault === ''
    // A page has one main action. While a file waits, it is to go on with that file.
    getStarted?.classList.toggle('primary', goOn.hidden)
    zone.classList.toggle('fault', fault !== '')
  }

  const take = async (drop: Drop) => {
    if (isBusy) return
    isBusy = true
    title.textContent = `Keeping ${filesWithSize(drop.files.map(({ file }) => file))}...`
    const fault = await keep(kept, drop, {
      largest: Number(zone.dataset.largest),
      limit: zone.dataset.limit ?? '',
      next,
    })
    isBusy = false
    show(await kept.list(), fault)
    if (fault === '') location.assign(next)
  }

  choose.addEventListener('click', async () => {
    const chosen = await chooseFile()
    if (chosen) await take(chosen)
  })
  remove.addEventListener('click', async () => {
    await kept.remove((await kept.list()).map(({ id }) => id))
    show([])
    choose.focus()
  })
  followPageDrop({
    onDragging: (isDragging) => zone.classList.toggle('dragging', isDragging),
    onDrop: (drop) => void take(drop),
  })
  // When somebody goes back to this page, the browser may show its old state. So the page reads the
  // list of waiting files again.
  addEventListener('pageshow', async () => {
    if (!isBusy) show(await kept.list())
  })
}

/** Keeps the files of a drop. Returns sentences about the files that it could not keep. */
async function keep(
  kept: KeptFiles,
  drop: Drop,
  page: { largest: number; limit: string; next: PageAfterDrop },
): Promise<string> {
  const files = drop.files.map(({ file }) => file)
  const tooLarge = files.filter(({ size }) => size > page.largest)
  const allowed = files.filter(({ size }) => size <= page.largest)
  const error = await kept.keep(allowed)
  const unreadable = dropError(drop)
  return [
    unreadable && `${unreadable.title}: ${unreadable.description}`,
    tooLarge.length > 0 && tooLargeText(tooLarge, page.limit),
    error && notKeptText(allowed, error, page.next),
  ]
    .filter(Boolean)
    .join(' ')
}
