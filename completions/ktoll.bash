# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of ktoll for bash 4.4 or newer; nothing of the package bash-completion is needed.
#
# Verbs, options and operands are what `ktoll --help` and `ktoll VERB --help` say, workloads what `ktoll list
# workloads` says. What stands here is what values options and settings take: tools/check-manual holds it
# against the program.

# The settings of a kernel spec: sources with "|" between them, the setting, its values; FILE is any file.
_ktoll_settings='
debian|source|tree|image arch= x86_64 ppc64le aarch64 riscv64
debian|source|tree|image cpu=
debian|source|tree|image memcg= root
debian|source|tree|image selinux= enforcing permissive off
debian|source|tree|image +preempt= none voluntary full lazy
source|tree config= small debian defconfig FILE
source|tree force:
source|tree patch= FILE
source|tree cc= gcc clang
source|tree debuginfo= y
image config= FILE
image vmlinux= FILE
'

# The values of options by what --help calls them. Those of ENGINE and FORMAT are taken from --help.
_ktoll_values='
WHAT mechanism function instruction
WHEN auto always never
WHICH higher lower
'

declare -gA _ktoll_said

# What the program says to these arguments, in `said`. It is asked once in a shell.
_ktoll_ask()
{
	local key="$program $*"

	said=${_ktoll_said[$key]}
	[[ ! $said ]] || return
	said=$("$program" "$@" 2>/dev/null </dev/null)
	_ktoll_said[$key]=$said
}

# The words of the line up to the cursor, in `words`, as the program would get them: bash has also split
# them at ":" and "=".
_ktoll_split()
{
	local line=${COMP_LINE:0:COMP_POINT} word rest i

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		rest=${line#"${line%%[![:blank:]]*}"}
		word=${COMP_WORDS[i]}
		((i < COMP_CWORD)) || word=$rest
		if ((i == 0)) || [[ $rest != "$line" ]]; then
			words+=("$word")
		else
			words[-1]+=$word
		fi
		line=${rest#"$word"}
	done
}

# Offers words that begin with `cur`; the first argument stands before each.
_ktoll_offer()
{
	local before=$1 word

	shift
	for word; do
		[[ $before$word == "$cur"* ]] && COMPREPLY+=("$before$word")
	done
}

# Offers folders and, of the kinds given as endings, files; "" is every file. The first argument is
# what stands before the path.
_ktoll_paths()
{
	local before=$1 path=${cur#"$1"} kind found=()

	shift
	mapfile -t found < <(compgen -d -- "$path")
	for kind; do
		mapfile -t -O ${#found[@]} found < <(compgen -f -X "!*$kind" -- "$path")
	done
	((${#found[@]})) || return
	# Where every file is offered, folders came twice.
	mapfile -t found < <(printf '%s\n' "${found[@]}" | sort -u)
	COMPREPLY+=("${found[@]/#/$before}")
	is_path=1
}

# Operations and programs: names with commas between them, or one with parameters.
_ktoll_workload()
{
	local said line name params param value names=()

	[[ $cur != [./~]* ]] || { _ktoll_paths '' .yaml; return; }
	_ktoll_ask list workloads
	while IFS= read -r line; do
		name=${line%% *}
		[[ $name == *[A-Z]* || ! $name ]] && continue
		names+=("$name")
		[[ $cur == "$name:"* ]] || continue
		# "groups=1, mode=process|thread, loops=300" and then the other columns.
		params=${line#"$name"}
		params=${params#"${params%%[! ]*}"}
		params=${params%%  *}
		for param in ${params//, / }; do
			[[ $param == *=* ]] || continue
			name=${param%%=*}=
			if [[ $param != *'|'* ]]; then
				_ktoll_offer "${cur%"${cur##*[:,]}"}" "$name"
			else
				# Each of its values.
				value=${param#*=}
				_ktoll_offer "${cur%"${cur##*[:,]}"}$name" ${value//'|'/ }
			fi
		done
	done <<<"$said"
	if [[ $cur != *:* ]]; then
		_ktoll_offer "${cur%"${cur##*,}"}" "${names[@]}"
		[[ $cur == *,* ]] || _ktoll_offer '' cmd:
	fi
}

# Studies by name, and files of them.
_ktoll_study()
{
	local said line

	_ktoll_paths '' .yaml
	_ktoll_ask list studies
	while IFS= read -r line; do
		[[ $line != [A-Z\ ]* ]] && _ktoll_offer '' "${line%% *}"
	done <<<"$said"
}

# Parts, kernels and workloads of the study that stands before.
_ktoll_only()
{
	local before=$1 said line word names=() have=' '

	for word in "${words[@]:2}"; do
		[[ $word != -* && $word ]] || continue
		_ktoll_ask run --dry-run "$word"
		while IFS= read -r line; do
			case $line in
			'part '*) names+=("${line#part }") ;;
			'  workloads: '*) line=${line#*: } && names+=(${line//, / }) ;;
			*' (base)' | *', against '*) read -r word line <<<"$line" && names+=("$word") ;;
			esac
		done <<<"$said"
	done
	# Several parts have kernels of one name.
	for word in "${names[@]}"; do
		[[ $have == *" $word "* ]] || _ktoll_offer "$before" "$word"
		have+="$word "
	done
}

# A kernel spec; the first argument stands before it. Further ones are names that specs have been given.
_ktoll_spec()
{
	local first=$1 spec=${cur#"$1"} last before piece source sources setting values value

	shift
	# Behind the last comma that is not "\,".
	last=${spec##*,}
	before=${spec%"$last"}
	while [[ $before == *'\,' ]]; do
		before=${before%,}
		piece=${before##*,}
		last=$piece,$last
		before=${before%"$piece"}
	done
	source=${spec%%:*}
	if [[ ! $before ]]; then
		case $spec in
		tree:*) _ktoll_paths "${first}tree:" ;;
		image:*) _ktoll_paths "${first}image:" '' ;;
		*) _ktoll_offer "$first" "$@" debian: source: tree: image: ;;
		esac
		[[ $spec != *:* ]] || is_open=1
		return
	fi
	is_open=1
	while read -r sources setting values; do
		[[ $setting && "|$sources|" == *"|$source|"* ]] || continue
		if [[ $last != "$setting"* ]]; then
			_ktoll_offer "$first$before" "$setting"
			continue
		fi
		for value in $values; do
			if [[ $value == FILE ]]; then
				_ktoll_paths "$first$before$setting" ''
			else
				_ktoll_offer "$first$before$setting" "$value"
			fi
		done
	done <<<"$_ktoll_settings"
}

# What --help calls VALUE, of an option that --help describes with `text`; "before" stands before it.
_ktoll_value()
{
	local before=$1 what=$2 text=$3 name values said

	case $what in
	WORKLOAD) _ktoll_workload ;;
	RECORD) _ktoll_paths "$before" .ktoll ;;
	FOLDER) _ktoll_paths "$before" ;;
	SPEC) _ktoll_spec "$before" ;;
	NAME) [[ $verb != run ]] || _ktoll_only "$before" ;;
	ENGINE) # "count (default): instructions; vm: wall clock"
		while [[ $text =~ ([a-z]+)(\ \(default\))?: ]]; do
			_ktoll_offer "$before" "${BASH_REMATCH[1]}"
			text=${text#*"${BASH_REMATCH[0]}"}
		done
		;;
	NAME=SPEC) [[ $cur != *=* ]] || _ktoll_spec "${cur%%=*}=" ;;
	FORMAT) # "text (default), json or lkml (a mail)"
		while [[ $text =~ \([^\(\)]*\) ]]; do
			text=${text/"${BASH_REMATCH[0]}"/}
		done
		text=${text//,/ }
		_ktoll_offer "$before" ${text// or / }
		;;
	TOOL) # "known are ab, columns"
		said=$("$program" judge --tool . /dev/null 2>&1)
		[[ $said =~ known\ are\ ([^;]*) ]] && _ktoll_offer "$before" ${BASH_REMATCH[1]//,/ }
		;;
	*)
		while read -r name values; do
			[[ $name != "$what" ]] || _ktoll_offer "$before" $values
		done <<<"$_ktoll_values"
		;;
	esac
}

# What the usage line calls the operands.
_ktoll_operand()
{
	local usage=$1
	shift

	# "BASE OTHER... | --base RECORD OTHER...": that record is no operand.
	while [[ $usage =~ (--[a-z]+)\ [A-Z]+ && ${takes[${BASH_REMATCH[1]}]} ]]; do
		usage=${usage/"${BASH_REMATCH[0]}"/}
	done
	[[ $usage == *RECORD* ]] && _ktoll_paths '' .ktoll
	[[ $usage == *STUDY* ]] && _ktoll_study
	[[ $usage == *FILE* ]] && _ktoll_paths '' ''
	[[ $usage == *@(BASE|OTHER|KERNEL)* ]] && _ktoll_spec '' "$@"
	if [[ $usage == *KNOB* ]]; then
		if [[ $cur == /* && $cur != *=* ]]; then
			_ktoll_paths '' ''
			is_open=1
		elif [[ $cur == preempt=* ]]; then
			_ktoll_offer "${cur%"${cur##*[=,]}"}" none voluntary full lazy
		elif [[ $cur == selinux=* ]]; then
			_ktoll_offer "${cur%"${cur##*[=,]}"}" permissive enforcing
		else
			_ktoll_offer '' preempt= selinux=
		fi
	fi
	if [[ $usage =~ ([a-z]+(\|[a-z]+)+) ]]; then
		_ktoll_offer '' ${BASH_REMATCH[1]//|/ }
	fi
}

# The options of a verb: `options` as they are written, and by these `takes`, what --help calls the value,
# and `text`, what it says.
_ktoll_options()
{
	local row='^  (-([a-zA-Z]),|   ) --([a-z-]+)( ([A-Z][A-Z=,|]*))? +(.*)$' said line option

	_ktoll_ask "$1" --help
	while IFS= read -r line; do
		[[ $line =~ ^usage:\ ktoll\ [a-z]+\ (\[OPTION\]\.\.\.\ )?(.*) ]] && usage=${BASH_REMATCH[2]}
		[[ $line =~ $row ]] || continue
		for option in "--${BASH_REMATCH[3]}" ${BASH_REMATCH[2]:+"-${BASH_REMATCH[2]}"}; do
			options+=("$option")
			takes[$option]=${BASH_REMATCH[5]}
			text[$option]=${BASH_REMATCH[6]}
		done
	done <<<"$said"
}

_ktoll_verb()
{
	local verb=$1 usage='' i word n_operands=0 ends='' names=() options=()
	local -A takes=() text=()

	_ktoll_options "$verb"
	# What stands before the cursor: names of specs, operands, an option that wants its value.
	for ((i = 2; i < ${#words[@]} - 1; i++)); do
		word=${words[i]}
		if [[ $ends || $word != -?* ]]; then
			n_operands=$((n_operands + 1))
		elif [[ $word == -- ]]; then
			ends=1
		elif [[ ${takes[$word]} ]]; then
			((++i < ${#words[@]} - 1)) || { _ktoll_value '' "${takes[$word]}" "${text[$word]}"; return; }
			[[ ${takes[$word]} != NAME=SPEC ]] || names+=("${words[i]%%=*}")
		elif [[ $word == --name=*=* ]]; then
			word=${word#--name=}
			names+=("${word%%=*}")
		fi
	done
	if [[ ! $ends && $cur == --*=* ]]; then
		word=${cur%%=*}
		# The value alone is completed; what stands before it is given back to the word.
		if [[ ${takes[$word]} ]]; then
			cur=${cur#*=}
			_ktoll_value '' "${takes[$word]}" "${text[$word]}"
			cur=$word=$cur
			COMPREPLY=("${COMPREPLY[@]/#/$word=}")
		fi
	elif [[ ! $ends && $cur == -* ]]; then
		_ktoll_offer '' "${options[@]}"
	elif [[ $n_operands == 0 || $usage == *...* || $usage == *OTHER* ]]; then
		_ktoll_operand "$usage" "${names[@]}"
	fi
}

# Bash replaces what stands behind the last character at which it breaks words: nothing before it is
# to be in COMPREPLY.
_ktoll_cut()
{
	local breaks=${COMP_WORDBREAKS//[!:=]/} kept

	[[ $breaks && ! $quote ]] || return
	kept=${cur##*[$breaks]}
	kept=${cur%"$kept"}
	COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}

_ktoll()
{
	local program=${COMP_WORDS[0]/#\~\//$HOME/} said line cur quote='' is_path='' is_open='' words=() IFS=$' \t\n'
	local -

	set -f
	COMPREPLY=()
	_ktoll_split
	cur=${words[-1]}
	if [[ $cur == [\'\"]* ]]; then
		quote=${cur:0:1}
		cur=${cur:1}
	fi
	if ((${#words[@]} > 2)); then
		_ktoll_verb "${words[1]}"
	elif ((${#words[@]} == 2)); then
		_ktoll_ask --help
		while IFS= read -r line; do
			[[ $line =~ ^\ \ ([a-z-]+)\ \ +[^\ ] ]] && _ktoll_offer '' "${BASH_REMATCH[1]}"
		done <<<"$said"
	fi
	((${#COMPREPLY[@]})) || return 0
	_ktoll_cut
	# Outside of a completion, as in a test, there is no option to set.
	[[ ! $is_path ]] || compopt -o filenames 2>/dev/null
	[[ ! $is_open && ${COMPREPLY[0]} != *[:=] ]] || compopt -o nospace 2>/dev/null
	return 0
}

complete -F _ktoll ktoll
