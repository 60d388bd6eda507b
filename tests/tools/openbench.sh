#!/usr/bin/env bash
# Runs OpenBench's own server and one worker on this machine, on loopback only, until they have played a workload of Zobra.
#     tests/tools/openbench.sh test|tune|datagen FOLDER OPENBENCH FASTCHESS ZOBRA [DEV] [BASE]
# OPENBENCH, FASTCHESS and ZOBRA are git repositories, DEV and BASE are branches of the last. FOLDER keeps database and logs.
# docs/openbench.md says what has to be installed; docs/openbench/workloads.json is what the server's forms are filled with.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
kind=$1 folder=$(mkdir -p "$2" && cd "$2" && pwd) openbench=$3 fastchess=$4 zobra=$5 dev=${6:-main} base=${7:-main}
site=$folder/OpenBench github=http://127.0.0.1:8001 server=http://127.0.0.1:8000
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

# What the server and the client ask of GitHub, as files
repository=$folder/github/repos/owner/zobra others=$folder/github/owner
mkdir -p "$repository/branches" "$repository/zipball" "$repository/compare" "$others/books" "$others/fastchess/archive/HEAD.zip"
git -C "$fastchess" archive --format=zip --prefix=fastchess/ HEAD > "$others/fastchess/archive/HEAD.zip/index.html"
git -C "$zobra" archive --format=zip HEAD:examples openings.epd > "$others/books/openings.epd.zip"
for branch in "$dev" "$base"; do
    sha=$(git -C "$zobra" rev-parse "$branch")
    git -C "$zobra" archive --format=zip --prefix=zobra/ "$sha" > "$repository/zipball/$sha"
    git -C "$zobra" log -1 --format=%B "$sha" | python3 -c 'import json, sys
print(json.dumps({"commit": {"sha": sys.argv[1], "commit": {"message": sys.stdin.read()}}}))' "$sha" > "$repository/branches/$branch"
done
behind=$(git -C "$zobra" rev-list --count "$dev..$base")
echo "{\"ahead_by\": $behind}" > "$repository/compare/$(git -C "$zobra" rev-parse "$dev")...$sha"

if [ ! -d "$site" ]; then
    git clone --quiet "$openbench" "$site"
    cd "$site"
    cp "$root/docs/openbench/Zobra.json" Engines/
    sed "s#https://github.com/owner#$github/owner#" "$root/docs/openbench/openings.epd.json" > Books/openings.epd.json
    # two files build addresses of GitHub
    sed -i "s#https://api.github.com#$github#; s#'github.com', 'api.github.com/repos'#'https://github.com', '$github/repos'#" \
        OpenBench/workloads/*.py
    python3 -c 'import json, pathlib, sys
path = pathlib.Path("Config/config.json")
ours = {"fastchess_repo_url": sys.argv[1], "fastchess_repo_ref": "HEAD", "books": ["openings.epd"], "engines": ["Zobra"]}
path.write_text(json.dumps(json.loads(path.read_text()) | ours))' "$github/owner/fastchess"
    python3 manage.py migrate -v 0 2> "$folder/migrate.log" # with complaints about tables that it has still to make
    python3 manage.py shell -c "from OpenBench.models import Profile, User
Profile.objects.create(user=User.objects.create_user('zobra', password='zobra'), enabled=True, approver=True)"
fi

python3 -m http.server 8001 --bind 127.0.0.1 --directory "$folder/github" > "$folder/github.log" 2>&1 &
(cd "$site" && exec python3 manage.py runserver --noreload 8000 > "$folder/server.log" 2>&1) &
until curl --silent --output /dev/null $github && curl --silent --output /dev/null $server; do sleep 1; done
workload=$(python3 "$root/tests/tools/openbench_form.py" $server "$kind" "$dev" "$base")

threads=$([ "$kind" = tune ] && echo 2 || echo 1) # SPSA plays a pair of games at a time
cd "$site/Client"
python3 -u client.py -U zobra -P zobra -S $server -T $threads -N 1 --no-client-downloads > "$folder/client-$kind.log" 2>&1 &
client=$!
until curl --silent $server/api/workload/$workload/info/ | grep -q '"finished": true'; do sleep 5; done
touch openbench.exit # ends the client after what it has still to report
wait $client
curl --silent $server/api/workload/$workload/info/ | tr -d ' \n' | grep -oE '"(games|passed|error|tri|penta)":(\[[^]]*\]|\w+)'
# with the slash, as processes that have ended and only wait for their parent are shown by their name alone
if pgrep -f '/Zobra-[0-9A-F]{8}' || grep -E 'Traceback|Error|Warning' "$folder/client-$kind.log"; then
    echo "processes are left, or the client reports errors: see above"
    exit 1
fi
