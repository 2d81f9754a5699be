import type { FilePart } from "translogue";
import { Icon } from "../shell/icon.tsx";
import { useWords } from "../shell/use-words.ts";

interface FileChipsProps {
  readonly files: readonly FilePart[];
  readonly onRemove: (file: FilePart) => void;
}

/** The files that wait to be sent. */
export function FileChips({ files, onRemove }: FileChipsProps) {
  const words = useWords();
  if (files.length === 0) return null;
  return (
    <ul className="chips attached">
      {files.map((file, index) => {
        const name = file.name ?? file.mediaType ?? words.file;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the same file may be there twice
          <li key={index} className="chip">
            <Thumbnail file={file} />
            <span>{name}</span>
            <button type="button" className="quiet" aria-label={words.removeFile(name)} onClick={() => onRemove(file)}>
              <Icon name="close" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function Thumbnail({ file: { mediaType, source } }: { readonly file: FilePart }) {
  if (!mediaType?.startsWith("image/") || !("data" in source)) return <Icon name="file" />;
  return <img src={`data:${mediaType};base64,${source.data}`} alt="" />;
}
